import { catalog } from "../../text/catalog";

export const t = catalog("playbooks", {
  onError: "If it fails", finally: "At its end", noId: "(no id)", onFailure: "on failure", always: "always",
});
