# An MCP server with one tool, which gives one answer.
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *'"method":"initialize"'*)
        result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"calc","version":"1.0.0"}}'
        ;;
    *'"method":"tools/list"'*)
        result='{"tools":[{"name":"add","description":"Adds two numbers","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]},"annotations":{"readOnlyHint":true}}]}'
        ;;
    *'"method":"tools/call"'*)
        result='{"content":[{"type":"text","text":"42"}]}'
        ;;
    *)
        result='{}'
        ;;
    esac
    if [ -n "$id" ]; then
        printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
    fi
done
