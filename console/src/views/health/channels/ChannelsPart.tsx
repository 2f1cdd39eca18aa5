import { useCallback } from "react";
import { useLookAgain } from "../../../kit/useLookAgain";
import { useCall } from "../../../shell/page";
import { Accounts } from "./Accounts";
import { People } from "./People";
import { Waiting } from "./Waiting";

/** The channels that people write by: how they do, who may write, and who waits to. */
export function ChannelsPart() {
  const channels = useCall("channel.list", {});
  const people = useCall("channel.people", {});
  const [first, second] = [channels.reload, people.reload];
  useLookAgain(
    useCallback(() => {
      first();
      second();
    }, [first, second]),
  );
  return (
    <>
      <Accounts call={channels} />
      <Waiting people={people} />
      <People call={people} />
    </>
  );
}
