// Generated from openapi/config.yaml by `npm run generate`. Do not edit.
import { type Call, operation } from './call.ts'
import { asText } from './text.ts'

/** Read the current token. Needs the scope `read`. */
export const getToken: Call<"getToken"> = /* @__PURE__ */ operation("getToken", "GET", "/token", { has: ["name","org_name","scopes"] })

/** List the checks. Needs the scope `checks:read`. */
export const listChecks: Call<"listChecks"> = /* @__PURE__ */ operation("listChecks", "GET", "/checks", { has: ["checks"] })

/** Create a check. Needs the scope `checks:write`. */
export const createCheck: Call<"createCheck"> = /* @__PURE__ */ operation("createCheck", "POST", "/checks", { has: ["guid","name","url","enabled","restricted","interval_sec","match_string","result_detail_max_chars"], once: true })

/** Read a check. Needs the scope `checks:read`. */
export const getCheck: Call<"getCheck"> = /* @__PURE__ */ operation("getCheck", "GET", "/checks/{guid}", { has: ["guid","name","url","enabled","restricted","interval_sec","match_string","result_detail_max_chars"] })

/** Replace a check. Needs the scope `checks:write`. */
export const replaceCheck: Call<"replaceCheck"> = /* @__PURE__ */ operation("replaceCheck", "PUT", "/checks/{guid}", { has: ["guid","name","url","enabled","restricted","interval_sec","match_string","result_detail_max_chars"] })

/** Delete a check. Needs the scope `checks:write`. */
export const deleteCheck: Call<"deleteCheck"> = /* @__PURE__ */ operation("deleteCheck", "DELETE", "/checks/{guid}", { has: ["guid"] })

/** Change some fields of a check. Needs the scope `checks:write`. */
export const changeCheck: Call<"changeCheck"> = /* @__PURE__ */ operation("changeCheck", "PATCH", "/checks/{guid}", { has: ["guid","name","url","enabled","restricted","interval_sec","match_string","result_detail_max_chars"] })

/** Pause a check. Needs the scope `checks:write`. */
export const pauseCheck: Call<"pauseCheck"> = /* @__PURE__ */ operation("pauseCheck", "POST", "/checks/{guid}/pause", { has: ["guid","name","url","enabled","restricted","interval_sec","match_string","result_detail_max_chars"], once: true })

/** Resume a check. Needs the scope `checks:write`. */
export const resumeCheck: Call<"resumeCheck"> = /* @__PURE__ */ operation("resumeCheck", "POST", "/checks/{guid}/resume", { has: ["guid","name","url","enabled","restricted","interval_sec","match_string","result_detail_max_chars"], once: true })

/** Mute a check. Needs the scope `checks:write`. */
export const muteCheck: Call<"muteCheck"> = /* @__PURE__ */ operation("muteCheck", "POST", "/checks/{guid}/mute", { once: true })

/** Unmute a check. Needs the scope `checks:write`. */
export const unmuteCheck: Call<"unmuteCheck"> = /* @__PURE__ */ operation("unmuteCheck", "POST", "/checks/{guid}/unmute", { once: true })

/** List the results of a check. Needs the scope `checks:read`. */
export const listResults: Call<"listResults"> = /* @__PURE__ */ operation("listResults", "GET", "/checks/{guid}/results", { has: ["results"] })

/** List the routes. Needs the scope `routes:read`. */
export const listRoutes: Call<"listRoutes"> = /* @__PURE__ */ operation("listRoutes", "GET", "/routes", { has: ["routes"] })

/** Create a route. Needs the scope `routes:write`. */
export const createRoute: Call<"createRoute"> = /* @__PURE__ */ operation("createRoute", "POST", "/routes", { has: ["guid","name","enabled","scope","steps"], once: true })

/** Read one route. Needs the scope `routes:read`. */
export const getRoute: Call<"getRoute"> = /* @__PURE__ */ operation("getRoute", "GET", "/routes/{guid}", { has: ["guid","name","enabled","scope","steps"] })

/** Replace a route. Needs the scope `routes:write`. */
export const replaceRoute: Call<"replaceRoute"> = /* @__PURE__ */ operation("replaceRoute", "PUT", "/routes/{guid}", { has: ["guid","name","enabled","scope","steps"] })

/** Delete a route. Needs the scope `routes:write`. */
export const deleteRoute: Call<"deleteRoute"> = /* @__PURE__ */ operation("deleteRoute", "DELETE", "/routes/{guid}", { has: ["guid"] })

/** Change some fields of a route. Needs the scope `routes:write`. */
export const changeRoute: Call<"changeRoute"> = /* @__PURE__ */ operation("changeRoute", "PATCH", "/routes/{guid}", { has: ["guid","name","enabled","scope","steps"] })

/** Move a route to another position. Needs the scope `routes:write`. */
export const moveRoute: Call<"moveRoute"> = /* @__PURE__ */ operation("moveRoute", "POST", "/routes/{guid}/move", { has: ["guid","name","enabled","scope","steps"], once: true })

/** Preview which channels an alert would notify. Needs the scope `routes:read`. */
export const previewAlert: Call<"previewAlert"> = /* @__PURE__ */ operation("previewAlert", "GET", "/alert-preview", { has: ["channels"] })

/** List the monitors. Needs the scope `monitors:read`. */
export const listMonitors: Call<"listMonitors"> = /* @__PURE__ */ operation("listMonitors", "GET", "/monitors", { has: ["monitors"] })

/** Read a monitor. Needs the scope `monitors:read`. */
export const getMonitor: Call<"getMonitor"> = /* @__PURE__ */ operation("getMonitor", "GET", "/monitors/{id}", { has: ["id","class","name","region","country","city","enabled","state"] })

/** Retire a monitor. Needs the scope `monitors:write`. */
export const deleteMonitor: Call<"deleteMonitor"> = /* @__PURE__ */ operation("deleteMonitor", "DELETE", "/monitors/{id}", { has: ["id"] })

/** Rename, enable or disable a monitor. Needs the scope `monitors:write`. */
export const changeMonitor: Call<"changeMonitor"> = /* @__PURE__ */ operation("changeMonitor", "PATCH", "/monitors/{id}", { has: ["id","class","name","region","country","city","enabled","state"] })

/** List the enrollment tokens. Needs the scope `monitors:read`. */
export const listEnrollmentTokens: Call<"listEnrollmentTokens"> = /* @__PURE__ */ operation("listEnrollmentTokens", "GET", "/enrollment-tokens", { has: ["enrollment_tokens"] })

/** Create an enrollment token. Needs the scope `monitors:write`. */
export const createEnrollmentToken: Call<"createEnrollmentToken"> = /* @__PURE__ */ operation("createEnrollmentToken", "POST", "/enrollment-tokens", { has: ["id","token","expires_at"], once: true })

/** Revoke an enrollment token. Needs the scope `monitors:write`. */
export const revokeEnrollmentToken: Call<"revokeEnrollmentToken"> = /* @__PURE__ */ operation("revokeEnrollmentToken", "DELETE", "/enrollment-tokens/{id}", { has: ["id"] })

/** List the tags. Needs the scope `checks:read`. */
export const listTags: Call<"listTags"> = /* @__PURE__ */ operation("listTags", "GET", "/tags", { has: ["tags"] })

/** Remove a tag. Needs the scope `checks:write`. */
export const deleteTag: Call<"deleteTag"> = /* @__PURE__ */ operation("deleteTag", "DELETE", "/tags/{tag}", { has: ["tag"] })

/** Rename a tag. Needs the scope `checks:write`. */
export const renameTag: Call<"renameTag"> = /* @__PURE__ */ operation("renameTag", "PATCH", "/tags/{tag}", { has: ["tag","checks","heartbeats","routes","maintenance_windows"] })

/** List the channels. Needs the scope `channels:read`. */
export const listChannels: Call<"listChannels"> = /* @__PURE__ */ operation("listChannels", "GET", "/channels", { has: ["channels"] })

/** Create a channel. Needs the scope `channels:write`. */
export const createChannel: Call<"createChannel"> = /* @__PURE__ */ operation("createChannel", "POST", "/channels", { has: ["id","name","kind","enabled"], once: true })

/** Read a channel. Needs the scope `channels:read`. */
export const getChannel: Call<"getChannel"> = /* @__PURE__ */ operation("getChannel", "GET", "/channels/{id}", { has: ["id","name","kind","enabled"] })

/** Replace a channel. Needs the scope `channels:write`. */
export const replaceChannel: Call<"replaceChannel"> = /* @__PURE__ */ operation("replaceChannel", "PUT", "/channels/{id}", { has: ["id","name","kind","enabled"] })

/** Delete a channel. Needs the scope `channels:write`. */
export const deleteChannel: Call<"deleteChannel"> = /* @__PURE__ */ operation("deleteChannel", "DELETE", "/channels/{id}", { has: ["id"] })

/** Change some fields of a channel. Needs the scope `channels:write`. */
export const changeChannel: Call<"changeChannel"> = /* @__PURE__ */ operation("changeChannel", "PATCH", "/channels/{id}", { has: ["id","name","kind","enabled"] })

/** Send a test message. Needs the scope `channels:write`. */
export const testChannel: Call<"testChannel"> = /* @__PURE__ */ operation("testChannel", "POST", "/channels/{id}/test", { has: ["delivery","state"], once: true })

/** Resend the confirmation email. Needs the scope `channels:write`. */
export const askForConfirmation: Call<"askForConfirmation"> = /* @__PURE__ */ operation("askForConfirmation", "POST", "/channels/{id}/confirmation", { has: ["email"], once: true })

/** List the deliveries. Needs the scope `channels:read`. */
export const listDeliveries: Call<"listDeliveries"> = /* @__PURE__ */ operation("listDeliveries", "GET", "/deliveries", { has: ["deliveries"] })

/** Read a delivery. Needs the scope `channels:read`. */
export const getDelivery: Call<"getDelivery"> = /* @__PURE__ */ operation("getDelivery", "GET", "/deliveries/{delivery}", { has: ["id","event","channel","state","attempts","created_at"] })

/** List the heartbeats. Needs the scope `heartbeats:read`. */
export const listHeartbeats: Call<"listHeartbeats"> = /* @__PURE__ */ operation("listHeartbeats", "GET", "/heartbeats", { has: ["heartbeats"] })

/** Create a heartbeat. Needs the scope `heartbeats:write`. */
export const createHeartbeat: Call<"createHeartbeat"> = /* @__PURE__ */ operation("createHeartbeat", "POST", "/heartbeats", { has: ["guid","name","interval_sec","grace_sec","enabled","show_on_status_page","state","ping_url"], once: true })

/** Read a heartbeat. Needs the scope `heartbeats:read`. */
export const getHeartbeat: Call<"getHeartbeat"> = /* @__PURE__ */ operation("getHeartbeat", "GET", "/heartbeats/{guid}", { has: ["guid","name","interval_sec","grace_sec","enabled","show_on_status_page","state"] })

/** Replace a heartbeat. Needs the scope `heartbeats:write`. */
export const replaceHeartbeat: Call<"replaceHeartbeat"> = /* @__PURE__ */ operation("replaceHeartbeat", "PUT", "/heartbeats/{guid}", { has: ["guid","name","interval_sec","grace_sec","enabled","show_on_status_page","state"] })

/** Delete a heartbeat. Needs the scope `heartbeats:write`. */
export const deleteHeartbeat: Call<"deleteHeartbeat"> = /* @__PURE__ */ operation("deleteHeartbeat", "DELETE", "/heartbeats/{guid}", { has: ["guid"] })

/** Change some fields of a heartbeat. Needs the scope `heartbeats:write`. */
export const changeHeartbeat: Call<"changeHeartbeat"> = /* @__PURE__ */ operation("changeHeartbeat", "PATCH", "/heartbeats/{guid}", { has: ["guid","name","interval_sec","grace_sec","enabled","show_on_status_page","state"] })

/** Pause a heartbeat. Needs the scope `heartbeats:write`. */
export const pauseHeartbeat: Call<"pauseHeartbeat"> = /* @__PURE__ */ operation("pauseHeartbeat", "POST", "/heartbeats/{guid}/pause", { has: ["guid","name","interval_sec","grace_sec","enabled","show_on_status_page","state"], once: true })

/** Resume a heartbeat. Needs the scope `heartbeats:write`. */
export const resumeHeartbeat: Call<"resumeHeartbeat"> = /* @__PURE__ */ operation("resumeHeartbeat", "POST", "/heartbeats/{guid}/resume", { has: ["guid","name","interval_sec","grace_sec","enabled","show_on_status_page","state"], once: true })

/** Mute a heartbeat. Needs the scope `heartbeats:write`. */
export const muteHeartbeat: Call<"muteHeartbeat"> = /* @__PURE__ */ operation("muteHeartbeat", "POST", "/heartbeats/{guid}/mute", { once: true })

/** Unmute a heartbeat. Needs the scope `heartbeats:write`. */
export const unmuteHeartbeat: Call<"unmuteHeartbeat"> = /* @__PURE__ */ operation("unmuteHeartbeat", "POST", "/heartbeats/{guid}/unmute", { once: true })

/** Read the ping URL of a heartbeat. Needs the scope `heartbeats:write`. */
export const getPingUrl: Call<"getPingUrl"> = /* @__PURE__ */ operation("getPingUrl", "GET", "/heartbeats/{guid}/ping-url", { has: ["ping_url"] })

/** Replace the ping URL of a heartbeat. Needs the scope `heartbeats:write`. */
export const rotatePingUrl: Call<"rotatePingUrl"> = /* @__PURE__ */ operation("rotatePingUrl", "POST", "/heartbeats/{guid}/ping-url", { has: ["ping_url"], once: true })

/** List the maintenance windows. Needs the scope `maintenance:read`. */
export const listMaintenanceWindows: Call<"listMaintenanceWindows"> = /* @__PURE__ */ operation("listMaintenanceWindows", "GET", "/maintenance", { has: ["windows"] })

/** Create a maintenance window. Needs the scope `maintenance:write`. */
export const createMaintenanceWindow: Call<"createMaintenanceWindow"> = /* @__PURE__ */ operation("createMaintenanceWindow", "POST", "/maintenance", { has: ["guid","name","scope","starts_at","duration_sec","zone"], once: true })

/** Read a maintenance window. Needs the scope `maintenance:read`. */
export const getMaintenanceWindow: Call<"getMaintenanceWindow"> = /* @__PURE__ */ operation("getMaintenanceWindow", "GET", "/maintenance/{guid}", { has: ["guid","name","scope","starts_at","duration_sec","zone"] })

/** Replace a maintenance window. Needs the scope `maintenance:write`. */
export const replaceMaintenanceWindow: Call<"replaceMaintenanceWindow"> = /* @__PURE__ */ operation("replaceMaintenanceWindow", "PUT", "/maintenance/{guid}", { has: ["guid","name","scope","starts_at","duration_sec","zone"] })

/** Delete a maintenance window. Needs the scope `maintenance:write`. */
export const deleteMaintenanceWindow: Call<"deleteMaintenanceWindow"> = /* @__PURE__ */ operation("deleteMaintenanceWindow", "DELETE", "/maintenance/{guid}", { has: ["guid"] })

/** Change some fields of a maintenance window. Needs the scope `maintenance:write`. */
export const changeMaintenanceWindow: Call<"changeMaintenanceWindow"> = /* @__PURE__ */ operation("changeMaintenanceWindow", "PATCH", "/maintenance/{guid}", { has: ["guid","name","scope","starts_at","duration_sec","zone"] })

/** End a current maintenance window. Needs the scope `maintenance:write`. */
export const endMaintenanceWindow: Call<"endMaintenanceWindow"> = /* @__PURE__ */ operation("endMaintenanceWindow", "POST", "/maintenance/{guid}/end", { has: ["guid","name","scope","starts_at","duration_sec","zone"], once: true })

/** Run a check now. Needs the scope `checks:write`. */
export const runCheck: Call<"runCheck"> = /* @__PURE__ */ operation("runCheck", "POST", "/checks/{guid}/run", { has: ["id","monitor_id","state"], once: true })

/** Read the outcome of a run. Needs the scope `checks:read`. */
export const getRun: Call<"getRun"> = /* @__PURE__ */ operation("getRun", "GET", "/runs/{run}", { has: ["id","monitor_id","state"] })

/** List the audit log. Needs the scope `audit:read`. */
export const listAuditEntries: Call<"listAuditEntries"> = /* @__PURE__ */ operation("listAuditEntries", "GET", "/audit", { has: ["entries"] })

/** Read the status page. Needs the scope `status_page:read`. */
export const getStatusPage: Call<"getStatusPage"> = /* @__PURE__ */ operation("getStatusPage", "GET", "/status-page", { has: ["slug","title","enabled","entries"] })

/** Replace the status page. Needs the scope `status_page:write`. */
export const replaceStatusPage: Call<"replaceStatusPage"> = /* @__PURE__ */ operation("replaceStatusPage", "PUT", "/status-page", { has: ["slug","title","enabled","entries"] })

/** Read uptime and response times of a check. Needs the scope `checks:read`. */
export const getCheckSummary: Call<"getCheckSummary"> = /* @__PURE__ */ operation("getCheckSummary", "GET", "/checks/{guid}/summary", { has: ["guid","name","since","until","step","total","steps"] })

/** Read uptime and response times of many checks. Needs the scope `checks:read`. */
export const listSummaries: Call<"listSummaries"> = /* @__PURE__ */ operation("listSummaries", "GET", "/summaries", { has: ["since","until","summaries"] })

/** List the incidents. Needs the scope `incidents:read`. */
export const listIncidents: Call<"listIncidents"> = /* @__PURE__ */ operation("listIncidents", "GET", "/incidents", { has: ["incidents","open"] })

/** Read an incident. Needs the scope `incidents:read`. */
export const getIncident: Call<"getIncident"> = /* @__PURE__ */ operation("getIncident", "GET", "/incidents/{incident}", { has: ["id","kind","guid","name","began_at","cause"] })

/** Acknowledge an incident. Needs the scope `incidents:ack`. */
export const acknowledgeIncident: Call<"acknowledgeIncident"> = /* @__PURE__ */ operation("acknowledgeIncident", "POST", "/incidents/{incident}/acknowledge", { has: ["id","kind","guid","name","began_at","cause"], once: true })

/** Unacknowledge an incident. Needs the scope `incidents:ack`. */
export const unacknowledgeIncident: Call<"unacknowledgeIncident"> = /* @__PURE__ */ operation("unacknowledgeIncident", "POST", "/incidents/{incident}/unacknowledge", { has: ["id","kind","guid","name","began_at","cause"], once: true })

/** Mute the check or heartbeat of an incident. Needs the scope `incidents:write`. */
export const muteIncident: Call<"muteIncident"> = /* @__PURE__ */ operation("muteIncident", "POST", "/incidents/{incident}/mute", { once: true })

/** Unmute the check or heartbeat of an incident. Needs the scope `incidents:write`. */
export const unmuteIncident: Call<"unmuteIncident"> = /* @__PURE__ */ operation("unmuteIncident", "POST", "/incidents/{incident}/unmute", { once: true })

/** List the notes on an incident. Needs the scope `incidents:read`. */
export const listIncidentNotes: Call<"listIncidentNotes"> = /* @__PURE__ */ operation("listIncidentNotes", "GET", "/incidents/{incident}/notes", { has: ["notes"] })

/** Add a note to an incident. Needs the scope `incidents:write`. */
export const createIncidentNote: Call<"createIncidentNote"> = /* @__PURE__ */ operation("createIncidentNote", "POST", "/incidents/{incident}/notes", { has: ["id","created_at","author","note"], once: true })

/** Read a note on an incident. Needs the scope `incidents:read`. */
export const getIncidentNote: Call<"getIncidentNote"> = /* @__PURE__ */ operation("getIncidentNote", "GET", "/incidents/{incident}/notes/{note}", { has: ["id","created_at","author","note"] })

/** Change a note on an incident. Needs the scope `incidents:write`. */
export const replaceIncidentNote: Call<"replaceIncidentNote"> = /* @__PURE__ */ operation("replaceIncidentNote", "PUT", "/incidents/{incident}/notes/{note}", { has: ["id","created_at","author","note"] })

/** Delete a note on an incident. Needs the scope `incidents:write`. */
export const deleteIncidentNote: Call<"deleteIncidentNote"> = /* @__PURE__ */ operation("deleteIncidentNote", "DELETE", "/incidents/{incident}/notes/{note}", { has: ["id"] })

/** Read the postmortem of an incident. Needs the scope `incidents:read`. */
export const getPostmortem: Call<"getPostmortem"> = /* @__PURE__ */ operation("getPostmortem", "GET", "/incidents/{incident}/postmortem", { has: ["text","edited_at","edited_by"] })

/** Write the postmortem of an incident. Needs the scope `incidents:write`. */
export const replacePostmortem: Call<"replacePostmortem"> = /* @__PURE__ */ operation("replacePostmortem", "PUT", "/incidents/{incident}/postmortem", { has: ["text","edited_at","edited_by"] })

/** Delete the postmortem of an incident. Needs the scope `incidents:write`. */
export const deletePostmortem: Call<"deletePostmortem"> = /* @__PURE__ */ operation("deletePostmortem", "DELETE", "/incidents/{incident}/postmortem")

/** Make many changes in one request, or preview them. Needs the scope `read`. */
export const changeInBulk: Call<"changeInBulk"> = /* @__PURE__ */ operation("changeInBulk", "POST", "/bulk", { has: ["changes","counts"], once: true })

/** Read metrics of checks, heartbeats and monitors. Needs the scope `metrics:read`. */
export const readMetrics: Call<"readMetrics"> = /* @__PURE__ */ operation("readMetrics", "GET", "/metrics", { handOut: asText })
