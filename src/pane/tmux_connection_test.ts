import assert from "node:assert/strict";
import { quietSession } from "./tmux_connection.ts";

const row = (session_id: string, session_attached: string, session_activity: string, more = {}) => ({
  session_id,
  session_attached,
  session_activity,
  session_alerts: "",
  "destroy-unattached": "0",
  ...more,
});

Deno.test("quietSession(): rather where somebody is and was last, else the one unused longest", () => {
  assert.equal(quietSession([row("$0", "0", "9"), row("$1", "1", "5"), row("$2", "2", "7")]), "$2");
  assert.equal(quietSession([row("$0", "0", "9"), row("$1", "0", "5"), row("$2", "0", "7")]), "$1");
});

Deno.test("quietSession(): none with marks that attaching clears, none that ends with its last client", () => {
  for (const more of [{ session_alerts: "1!" }, { "destroy-unattached": "1" }, { "destroy-unattached": "keep-last" }]) {
    assert.equal(quietSession([row("$0", "0", "9", more)]), null);
  }
  assert.equal(quietSession([row("$0", "0", "9", { "destroy-unattached": "off" })]), "$0");
  assert.equal(quietSession([]), null);
});
