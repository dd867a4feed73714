# An MCP server with one tool, which asks a person for a region and tells what became of that.
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *'"method":"initialize"'*)
        result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"crm","version":"1.0.0"}}'
        ;;
    *'"method":"tools/list"'*)
        result='{"tools":[{"name":"region","description":"Finds the region","inputSchema":{"type":"object"}}]}'
        ;;
    *'"method":"tools/call"'*)
        call=$id
        printf '{"jsonrpc":"2.0","id":"asked","method":"elicitation/create","params":{"message":"Which region?","requestedSchema":{"type":"object","properties":{"region":{"type":"string"}}}}}\n'
        continue
        ;;
    *'"id":"asked"'*)
        answer=$(printf '%s' "$line" | sed -n 's/.*"action":"\([a-z]*\)".*/\1/p')
        printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"the person said %s"}]}}\n' "$call" "$answer"
        continue
        ;;
    *)
        result='{}'
        ;;
    esac
    if [ -n "$id" ]; then
        printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
    fi
done
