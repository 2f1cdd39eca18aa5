import { sketch } from "./outline";

self.onmessage = (event: MessageEvent<string>) => self.postMessage(sketch(event.data));
