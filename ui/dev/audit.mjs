// Logins and the audit trail of the development server.
const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();

export function seedAudit() {
  const laptop = { kind: "login", id: "a1f0", name: "Firefox on Linux" };
  const phone = { kind: "login", id: "b2e1", name: "Safari on iPhone" };
  const lines = [
    [2880, "code_asked", { by: { kind: "server" }, why: "printed when the server started" }],
    [2879, "login", { by: laptop, address: "127.0.0.1", loginId: "a1f0", loginName: laptop.name }],
    [1500, "code_asked", { by: { kind: "terminal" }, why: "liminal-builder open" }],
    [1499, "login", { by: phone, address: "192.168.1.20", loginId: "b2e1", loginName: phone.name }],
    [
      300,
      "code_refused",
      {
        by: { kind: "unknown" },
        address: "127.0.0.1",
        times: 14,
        why: "this code was used, is too old or is wrong; run: liminal-builder open",
      },
    ],
    [240, "command_refused", { by: { kind: "unknown" }, why: "It came from an agent." }],
    [
      120,
      "answered",
      {
        by: phone,
        address: "192.168.1.20",
        via: "browser",
        sessionId: "s-2",
        sessionTitle: "Release build on CI",
        itemId: "asked-1",
        title: "git push --force origin main",
        answer: "Reject",
        optionKind: "reject_once",
      },
    ],
    [
      30,
      "answered",
      {
        by: laptop,
        address: "127.0.0.1",
        via: "browser",
        sessionId: "s-1",
        sessionTitle: "Fix rounding in the cart total",
        itemId: "asked-2",
        title: "npm test -- --run src/pricing/total.test.ts",
        answer: "Allow once",
        optionKind: "allow_once",
      },
    ],
    [
      5,
      "login_unknown",
      {
        by: { kind: "unknown" },
        loginId: "dead",
        why: "It is in the file of grants, and this server did not issue it: it lets nobody in.",
      },
    ],
  ];
  return {
    trail: lines.map(([minutes, kind, more], index) => ({ id: index + 1, at: ago(minutes), kind, ...more })),
    logins: [
      {
        loginId: "a1f0",
        name: laptop.name,
        origin: "issued",
        address: "127.0.0.1",
        issuedAt: ago(2879),
        lastSeenAt: ago(0),
        current: true,
      },
      { loginId: "c3d2", name: "", origin: "before" },
      {
        loginId: "b2e1",
        name: phone.name,
        origin: "issued",
        address: "192.168.1.20",
        issuedAt: ago(1499),
        lastSeenAt: ago(45),
      },
      { loginId: "dead", name: "", origin: "unknown" },
      { loginId: "e4c3", name: "LIMINAL_BUILDER_TOKEN", origin: "token" },
    ],
  };
}

/** True when it was asked for this, and answered. */
export function auditHttp(world, method, url, send) {
  if (url.pathname === "/api/logins") return (send(200, { logins: world.audit.logins }), true);
  if (url.pathname === "/api/audit") {
    const before = Number(url.searchParams.get("before") ?? Infinity);
    const limit = Number(url.searchParams.get("limit") ?? 100);
    const found = world.audit.trail.filter(({ id }) => id < before).reverse();
    const entries = found.slice(0, limit);
    send(200, { entries, ...(found.length > limit ? { before: entries.at(-1).id } : {}) });
    return true;
  }
  const end = /^\/api\/login\/([^/]+)\/end$/.exec(url.pathname);
  if (method !== "POST" || !end) return false;
  const login = world.audit.logins.find(({ loginId }) => loginId === end[1]);
  if (!login)
    return (send(404, { code: "ITEM_NOT_FOUND", message: "There is no such login any more." }), true);
  world.audit.logins = world.audit.logins.filter((one) => one !== login);
  world.audit.trail.push({
    id: world.audit.trail.length + 1,
    at: ago(0),
    kind: "login_ended",
    by: { kind: "login", id: "a1f0", name: "Firefox on Linux" },
    address: "127.0.0.1",
    loginId: login.loginId,
    ...(login.name ? { loginName: login.name } : {}),
  });
  return (send(200, {}), true);
}
