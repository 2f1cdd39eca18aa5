import type { ViewProps } from "../table";

export default function InboxView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
