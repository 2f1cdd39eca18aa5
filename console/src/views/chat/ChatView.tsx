import type { ViewProps } from "../table";

export default function ChatView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
