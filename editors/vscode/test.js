// What the extension asks VS Code for, against a stand-in for its interface: `npm test`.
const assert = require("node:assert");
const Module = require("node:module");
const test = require("node:test");

const manifest = require("./package.json");

// Activates the extension with this setting of `symx.path`. Returns the factory that it registers, by type.
function activated(path) {
    const factories = {};
    const vscode = {
        workspace: { getConfiguration: (section) => ({ get: (key) => (section === "symx" && key === "path" ? path : undefined) }) },
        debug: {
            registerDebugAdapterDescriptorFactory: (type, factory) => {
                factories[type] = factory;
                return { dispose: () => {} };
            },
        },
        DebugAdapterExecutable: class {
            constructor(command, args, options) {
                Object.assign(this, { command, args, options });
            }
        },
    };
    const load = Module._load;
    Module._load = (request, ...rest) => (request === "vscode" ? vscode : load(request, ...rest));
    try {
        delete require.cache[require.resolve("./extension.js")];
        const context = { subscriptions: [] };
        require("./extension.js").activate(context);
        assert.strictEqual(context.subscriptions.length, 1);
    } finally {
        Module._load = load;
    }
    return factories;
}

test("a session starts symx debug in the folder of its workspace", () => {
    const { symx } = activated("/opt/symx");
    const session = { workspaceFolder: { uri: { fsPath: "/home/me/project" } } };
    const adapter = symx.createDebugAdapterDescriptor(session);
    assert.deepStrictEqual({ ...adapter }, { command: "/opt/symx", args: ["debug"], options: { cwd: "/home/me/project" } });
});

test("without a setting and a folder, symx comes from PATH", () => {
    const adapter = activated("").symx.createDebugAdapterDescriptor({});
    assert.deepStrictEqual({ ...adapter }, { command: "symx", args: ["debug"], options: undefined });
});

test("the manifest offers what the extension registers", () => {
    const [offered, ...others] = manifest.contributes.debuggers;
    assert.deepStrictEqual([offered.type, others], ["symx", []]);
    assert.deepStrictEqual(Object.keys(activated("symx")), [offered.type]);
    const launch = offered.configurationAttributes.launch;
    for (const configuration of offered.initialConfigurations) {
        launch.required.forEach((name) => assert.ok(name in configuration, name));
        const known = ["type", "request", "name", ...Object.keys(launch.properties)];
        Object.keys(configuration).forEach((name) => assert.ok(known.includes(name), name));
    }
});
