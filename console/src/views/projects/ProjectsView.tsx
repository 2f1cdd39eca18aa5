import type { ViewProps } from "../table";

export default function ProjectsView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
