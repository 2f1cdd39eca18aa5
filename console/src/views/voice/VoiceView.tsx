import type { ViewProps } from "../table";

export default function VoiceView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
