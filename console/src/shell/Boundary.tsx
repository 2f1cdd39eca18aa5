import { Component, type ReactNode } from "react";
import { Button } from "../kit/Button";
import { Problem } from "../kit/Panel";
import { t } from "./words";

/** Keeps a failure of one view from taking the page with it: the kill switch and the other views stay. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <>
        <Problem>{t("drawFailed", { why: this.state.error.message })}</Problem>
        <Button onClick={() => this.setState({ error: null })}>{t("drawAgain")}</Button>
      </>
    );
  }
}
