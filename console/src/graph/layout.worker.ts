import type { Graph } from "./graph";
import { layout } from "./layout";

self.onmessage = (event: MessageEvent<Graph>) => self.postMessage(layout(event.data));
