// Checks the tools of the ring `foreign` with the official TypeScript client.
//
// usage: client.cjs <auto|legacy> <address or program>
// Prints the negotiated protocol version.

const assert = require('node:assert/strict');
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

async function main(mode, server) {
    let onChanged;
    const changed = new Promise((resolve) => (onChanged = resolve));
    const client = new Client(
        { name: 'foreign-test', version: '1.0.0' },
        { versionNegotiation: { mode }, listChanged: { tools: { onChanged, debounceMs: 0 } } }
    );
    const transport = server.startsWith('http://')
        ? new StreamableHTTPClientTransport(new URL(server))
        : new StdioClientTransport({ command: server });
    await client.connect(transport);
    assert.equal(client.getServerVersion().name, 'foreign');
    assert.equal(client.getInstructions(), 'Divide with care.');
    await checkList(client);
    await checkResults(client);
    await checkProgress(client);
    await client.callTool({ name: 'learn' });
    await changed;
    assert.ok((await names(client)).includes('fly'));
    console.log(client.getNegotiatedProtocolVersion());
    await client.close();
}

async function checkList(client) {
    const { tools } = await client.listTools();
    const divide = tools.find((tool) => tool.name === 'divide');
    assert.equal(divide.annotations.readOnlyHint, true);
    for (const schema of [divide.inputSchema, divide.outputSchema]) {
        assert.ok(!JSON.stringify(schema).includes('"format"'), JSON.stringify(schema));
    }
    assert.ok(!tools.some((tool) => tool.name === 'fly'));
}

async function checkResults(client) {
    const divided = await client.callTool({ name: 'divide', arguments: { a: 84, b: 2 } });
    const expected = { quotient: 42, divisor: 2 };
    assert.deepEqual(divided.structuredContent, expected);
    assert.deepEqual(JSON.parse(divided.content[0].text), expected);

    const failed = await client.callTool({ name: 'divide', arguments: { a: 1, b: 0 } });
    assert.equal(failed.isError, true);
    assert.equal(failed.content[0].text, 'division by zero');
    const unknown = await client.callTool({ name: 'burn' });
    assert.equal(unknown.isError, true);

    const empty = await client.callTool({ name: 'find' });
    assert.deepEqual(empty.content, []);
    const mixed = await client.callTool({ name: 'test_multiple_content_types' });
    assert.deepEqual(mixed.content.map((content) => content.type), ['text', 'image', 'resource']);
}

async function checkProgress(client) {
    const reports = [];
    let result;
    const there = new Promise((resolve) => {
        const onprogress = ({ progress, total, message }) => {
            reports.push([progress, total, message]);
            if (progress === total) resolve();
        };
        result = client.callTool({ name: 'steps' }, { onprogress });
        result.catch(resolve);
    });
    await there;
    await client.callTool({ name: 'release' });
    assert.equal((await result).content[0].text, 'done');
    assert.deepEqual(reports, [[1, 2, undefined], [2, 2, 'there']]);
}

async function names(client) {
    return (await client.listTools()).tools.map((tool) => tool.name);
}

const deadline = setTimeout(() => {
    console.error('nothing happened for 60 s');
    process.exit(1);
}, 60_000);
main(...process.argv.slice(2)).then(
    () => clearTimeout(deadline),
    (error) => {
        console.error(error);
        process.exit(1);
    }
);
