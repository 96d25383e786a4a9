# SPDX-License-Identifier: Apache-2.0
#
# jq --argjson minor NN -rf parsed.jq: the JSON form of events as `go tool trace -d=parsed` of Go 1.NN prints them, without
# Syncs and the numbers of pcs. Before Go 1.26 the stack of a status was none of the transition.
def id: . // -1;
def go_string: tojson;
def frames: .[]? | "\t\(.func)\n\t\t\(.file):\(.line)";
def scope: if .of == null then "None" else "\(if .of == "proc" then "Proc" else "Goroutine" end)(\(.id))" end;
def value: "Uint64(\(.))";
def own_transition: .event | IN("GoBlock", "GoStop", "GoSyscallBegin") or ($minor >= 26 and . == "GoStatusStack");
def details:
	if .kind == "Metric" then " Name=\(.name | go_string) Value=\(.value | value)"
	elif .kind == "Label" then " Label=\(.label | go_string) Resource=\(scope)"
	elif .kind | startswith("Range") then " Name=\(.name | go_string) Scope=\(scope)" +
		if .kind == "RangeEnd" then " Attributes=[\([.attributes // {} | to_entries[] | "\(.key | go_string)=\(.value | value)"] | join(" "))]" else "" end
	elif .kind | startswith("Task") then " ID=\(.task) Parent=\(.parent | id) Type=\(.type | go_string)"
	elif .kind | startswith("Region") then " Task=\(.task) Type=\(.type | go_string)"
	elif .kind == "Log" then " Task=\(.task) Category=\(.category | go_string) Message=\(.message | go_string)"
	elif .kind == "StateTransition" then " \(if .of == "proc" then "ProcID" else "GoID" end)=\(.id) \(.from)->\(.to) Reason=\(.reason | go_string)"
	else "" end;
select(.kind != "Sync") |
"M=\(.m | id) P=\(.p | id) G=\(.g | id) \(.kind) Time=\(.time)\(details)",
if (own_transition and .stack) or (.event | IN("GoCreate", "GoCreateBlocked")) then
	"TransitionStack=", ((.new_stack // if own_transition then .stack else null end) | frames) else empty end,
if .stack or .kind == "StackSample" then "Stack=", (.stack | frames) else empty end
