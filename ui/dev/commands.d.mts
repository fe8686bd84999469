export declare const manyCommands: readonly { name: string; description: string }[];
