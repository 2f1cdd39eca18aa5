import { lazy } from "react";
import type { ViewProps } from "../table";
import { read } from "./address";
import { ListPage } from "./ListPage";
import { RunsPage } from "./RunsPage";

// What draws graphs and edits text is large: it comes when it is wanted.
const EditorPage = lazy(() => import("./EditorPage"));
const NewPage = lazy(() => import("./NewPage"));
const RunPage = lazy(() => import("./RunPage"));

export default function PlaybooksView({ rest }: ViewProps) {
  const asked = read(rest);
  switch (asked.page) {
    case "list":
      return <ListPage />;
    case "runs":
      return <RunsPage />;
    case "new":
      return <NewPage />;
    case "edit":
      return <EditorPage key={asked.name} name={asked.name} />;
    case "run":
      return <RunPage key={asked.run} name={asked.name} run={asked.run} />;
  }
}
