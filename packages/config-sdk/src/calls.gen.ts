// Generated from openapi/config.yaml by `npm run generate`. Do not edit.
import { type Call, operation } from './call.ts'

/** Read what this token may do. Needs the scope `read`. */
export const getToken: Call<"getToken"> = /* @__PURE__ */ operation("getToken", "GET", "/token", { has: ["name","org_name","scopes"] })

/** List the checks. Needs the scope `checks:read`. */
export const listChecks: Call<"listChecks"> = /* @__PURE__ */ operation("listChecks", "GET", "/checks", { has: ["checks"] })

/** Create a check. Needs the scope `checks:write`. */
export const createCheck: Call<"createCheck"> = /* @__PURE__ */ operation("createCheck", "POST", "/checks", { has: ["guid","name","url","enabled","restricted","interval_sec","match_string","result_detail_max_chars"], once: true })

/** Read one check. Needs the scope `checks:read`. */
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

/** List the incidents. Needs the scope `incidents:read`. */
export const listIncidents: Call<"listIncidents"> = /* @__PURE__ */ operation("listIncidents", "GET", "/incidents", { has: ["incidents","open"] })

/** Read one incident. Needs the scope `incidents:read`. */
export const getIncident: Call<"getIncident"> = /* @__PURE__ */ operation("getIncident", "GET", "/incidents/{incident}", { has: ["id","kind","guid","name","began_at","cause"] })

/** Acknowledge an incident. Needs the scope `incidents:ack`. */
export const acknowledgeIncident: Call<"acknowledgeIncident"> = /* @__PURE__ */ operation("acknowledgeIncident", "POST", "/incidents/{incident}/acknowledge", { has: ["id","kind","guid","name","began_at","cause"], once: true })

/** Take the acknowledgement of an incident back. Needs the scope `incidents:ack`. */
export const unacknowledgeIncident: Call<"unacknowledgeIncident"> = /* @__PURE__ */ operation("unacknowledgeIncident", "POST", "/incidents/{incident}/unacknowledge", { has: ["id","kind","guid","name","began_at","cause"], once: true })

/** Mute what an incident is about. Needs the scope `incidents:write`. */
export const muteIncident: Call<"muteIncident"> = /* @__PURE__ */ operation("muteIncident", "POST", "/incidents/{incident}/mute", { once: true })

/** End the mute of what an incident is about. Needs the scope `incidents:write`. */
export const unmuteIncident: Call<"unmuteIncident"> = /* @__PURE__ */ operation("unmuteIncident", "POST", "/incidents/{incident}/unmute", { once: true })

/** List the notes on an incident. Needs the scope `incidents:read`. */
export const listIncidentNotes: Call<"listIncidentNotes"> = /* @__PURE__ */ operation("listIncidentNotes", "GET", "/incidents/{incident}/notes", { has: ["notes"] })

/** Write a note on an incident. Needs the scope `incidents:write`. */
export const createIncidentNote: Call<"createIncidentNote"> = /* @__PURE__ */ operation("createIncidentNote", "POST", "/incidents/{incident}/notes", { has: ["id","created_at","author","note"], once: true })
