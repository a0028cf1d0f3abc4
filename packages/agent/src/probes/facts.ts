// Declares the facts that probes of some kinds report, and that rules can compare.

/** Facts about a target that rules can compare. Facts that do not apply to the target's kind are absent. */
export interface Facts {
  /** Headers of the last response of a website, with names in lower case. */
  headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Version of HTTP of the last response, such as `1.1`. */
  http_version?: string
  /** URL of the last response, without user, password, query and fragment. */
  final_url?: string
  /** Number of bytes of the decoded body that were read. */
  size?: number
  /** Records of a DNS answer, sorted, with the whole chain of aliases. Each is the data in the form of zone files. */
  dns_answer?: readonly string[]
  /** Number of records of the type that was queried. */
  dns_count?: number
  /** Response code of a DNS answer, such as `NXDOMAIN`. */
  dns_rcode?: string
  /** Lowest time to live of the records, in seconds. Absent if there are none. */
  dns_ttl?: number
  /** Serial numbers of the zone, each once. Absent if the name servers were not compared. */
  dns_serials?: readonly string[]
  /** Whether the resolver states that it verified the answer by DNSSEC. */
  dns_ad?: boolean
  /** Share of echo requests without a reply, in percent. */
  loss?: number
  /** Mean difference between consecutive round trips of echo requests. */
  jitter_ms?: number
  /** Difference between the clock of a time server and the time of this monitor. Positive if the server is ahead. */
  offset_ms?: number
  /** Distance of a time server from a reference clock. */
  stratum?: number
  /** Leap indicator of a time server. 3 means that its clock is not synchronised. */
  leap?: number
  /** Status of a gRPC call, such as `OK`. */
  grpc_status?: string
  /** Health that a gRPC service reports, such as `SERVING`. */
  grpc_health?: string
  /** First value of the first row of a query. Absent if there is no row. */
  value?: string | number | boolean | null
}
