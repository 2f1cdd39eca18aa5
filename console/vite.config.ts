import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The daemon serves what is built from its own address, so nothing here names a host. Scripts and styles are files of their
// own: the page's policy allows nothing inline.
export default defineConfig({
  base: "./",
  plugins: [react()],
  build: {
    outDir: "../sulla/console/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 800,
  },
  worker: { format: "es" },
  server: {
    // For work on the page: `npm run dev` beside a daemon on its usual port.
    proxy: {
      "/ws": { target: "ws://127.0.0.1:8137", ws: true },
      "/console": { target: "http://127.0.0.1:8137" },
    },
  },
  test: {
    // A page's surroundings take longer to set up than most tests take: what draws nothing does without.
    projects: [
      { extends: true, test: { name: "decisions", environment: "node", include: ["src/**/*.test.ts"] } },
      { extends: true, test: { name: "drawn", environment: "happy-dom", include: ["src/**/*.test.tsx"] } },
    ],
  },
});
