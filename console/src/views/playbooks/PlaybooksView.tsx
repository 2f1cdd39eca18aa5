import { lazy, useState } from "react";
import type { ViewProps } from "../table";
import { goesOn, read } from "./address";
import { ListPage } from "./ListPage";
import { RunsPage } from "./RunsPage";

// What draws graphs and edits text is large: it comes when it is wanted.
const EditorPage = lazy(() => import("./EditorPage"));
const NewPage = lazy(() => import("./NewPage"));
const RunPage = lazy(() => import("./RunPage"));

export default function PlaybooksView({ rest }: ViewProps) {
  const asked = read(rest);
  const [begun, setBegun] = useState("");
  const [at, setAt] = useState({ rest, isOfNew: asked.page === "new", visit: 0 });
  // The editor of a new playbook stays when it is saved under its name: its cursor and what can be undone are not lost.
  if (at.rest !== rest) {
    const isNew = asked.page === "new";
    setAt({ rest, isOfNew: isNew || goesOn(read(at.rest), asked, begun), visit: at.visit + (isNew ? 1 : 0) });
    if (isNew) setBegun("");
  }
  if (at.isOfNew) return <NewPage key={at.visit} onBegun={setBegun} />;
  switch (asked.page) {
    case "list":
      return <ListPage />;
    case "runs":
      return <RunsPage />;
    case "edit":
      return <EditorPage key={asked.name} name={asked.name} />;
    case "run":
      return <RunPage key={asked.run} name={asked.name} run={asked.run} />;
  }
}
