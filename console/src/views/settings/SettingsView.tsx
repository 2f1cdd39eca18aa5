import type { ViewProps } from "../table";

export default function SettingsView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
