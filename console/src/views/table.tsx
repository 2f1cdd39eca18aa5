import { lazy, type ComponentType } from "react";
import type { Scope } from "../protocol/wire";

/** What a view is told of the address: what stands behind its own name, e.g. `thr_9b2d` of `#/chat/thr_9b2d`. */
export interface ViewProps {
  readonly rest: string;
}

export interface View {
  /** Its place in the address, and its name in the catalog of the shell. */
  readonly path: string;
  /** All that a session has to be allowed to see it; empty for what every session sees. */
  readonly scopes: readonly Scope[];
  readonly component: ComponentType<ViewProps>;
  /** Fetches it ahead of its first use. */
  readonly load: () => Promise<unknown>;
  /** Whether it stands in the list at the side. */
  readonly listed: boolean;
}

function view(path: string, scopes: readonly Scope[], load: () => Promise<{ default: ComponentType<ViewProps> }>, listed = true): View {
  return { path, scopes, component: lazy(load), load, listed };
}

/** What a session lacks to see a view; nothing while it is not known yet what the session may. */
export function lacksOf(view: View, scopes: readonly Scope[]): readonly Scope[] {
  return scopes.length === 0 ? [] : view.scopes.filter((scope) => !scopes.includes(scope));
}

/** Every view. To add one: its folder, its line here, its name in `shell/words.ts`. */
export const VIEWS: readonly View[] = [
  view("live", ["read"], () => import("./live/LiveView")),
  view("chat", ["read"], () => import("./chat/ChatView")),
  view("inbox", ["read"], () => import("./inbox/InboxView")),
  view("playbooks", ["read"], () => import("./playbooks/PlaybooksView")),
  view("flows", ["read"], () => import("./flows/FlowsView")),
  view("beats", ["read"], () => import("./beats/BeatsView")),
  view("projects", ["read"], () => import("./projects/ProjectsView")),
  view("memory", ["read"], () => import("./memory/MemoryView")),
  view("agents", ["read"], () => import("./agents/AgentsView")),
  view("use", ["read"], () => import("./use/UseView")),
  view("health", ["read"], () => import("./health/HealthView")),
  view("voice", ["read", "write"], () => import("./voice/VoiceView")),
  view("settings", [], () => import("./settings/SettingsView")),
];
