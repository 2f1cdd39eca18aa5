import type { ViewProps } from "../table";

export default function HealthView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
