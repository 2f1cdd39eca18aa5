import type { ViewProps } from "../table";

export default function PlaybooksView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
