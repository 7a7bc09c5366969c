// Starts `symx debug`, which speaks the Debug Adapter Protocol.
const vscode = require("vscode");

exports.activate = (context) => {
    const factory = {
        createDebugAdapterDescriptor: (session) => {
            const command = vscode.workspace.getConfiguration("symx").get("path") || "symx";
            const cwd = session.workspaceFolder?.uri.fsPath;
            return new vscode.DebugAdapterExecutable(command, ["debug"], cwd ? { cwd } : undefined);
        },
    };
    context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory("symx", factory));
};

exports.deactivate = () => {};
