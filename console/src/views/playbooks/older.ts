import { RpcError } from "../../protocol/errors";
import { t } from "./words";

/** What is told where the daemon does not know a method yet; every other failure stays what it is. */
export async function orOlder<R>(method: string, asked: Promise<R>): Promise<R> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcError && error.code === "unknown_method") throw new Error(t("older", { method }), { cause: error });
    throw error;
  }
}
