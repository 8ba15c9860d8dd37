package petrichor.server.config;

import static petrichor.server.config.SettingKind.*;

/**
 * The keys of {@code petrichor.toml}, with their descriptions and default values; those of apps and
 * their services are in {@link AppConfigKeys}.
 */
public enum ConfigKey {
    SERVER_HOST(
            "server.host",
            TEXT,
            "localhost",
            "Address to listen on. Addresses other than loopback need auth.token or --insecure."),
    SERVER_PORT(
            "server.port",
            PORT,
            "8081",
            "Port of the API, health and metrics. 0 picks a free port."),
    SERVER_INSECURE(
            "server.insecure",
            FLAG,
            "false",
            "Allow listening on other addresses without authentication."),
    SERVER_DRAIN_TIMEOUT(
            "server.drain-timeout",
            DURATION,
            "10s",
            "Time for running requests to finish when the server stops."),
    SERVER_NAMES(
            "server.names",
            OPTIONAL,
            "",
            "Comma-separated host names of this server, in addition to localhost and its addresses."
                    + " Without a token, requests with another Host are refused."),
    SERVER_MEMORY_PERCENT(
            "server.memory-percent",
            PERCENT,
            "60",
            "Share of the heap for requests, transactions, queued commits, responses and caches."),
    SERVER_START_TIMEOUT(
            "server.start-timeout",
            DURATION,
            "60s",
            "How long a starting server waits for a store or ZooKeeper that does not answer."),
    SERVER_RELOAD_INTERVAL(
            "server.reload-interval",
            DURATION,
            "5s",
            "How often token and certificate files are checked for changes."),
    STORE_MEMORY(
            "store.memory",
            FLAG,
            "false",
            "Keep all data in memory and discard it at exit; enables /reset and /shutdown."),
    STORE_URL(
            "store.url",
            SECRET,
            "",
            "Address of the datastore for all data, such as cassandra://HOST/petrichor. Empty: the"
                    + " embedded store."),
    STORE_PASSWORD(
            "store.password",
            SECRET,
            "",
            "Password for store.url, if the address does not contain it."),
    STORE_PASSWORD_FILE("store.password-file", PATH, "", "File whose first line is the password."),
    STORE_DATA("store.data", PATH, "petrichor-data", "Folder of the embedded store."),
    STORE_CACHE(
            "store.cache",
            OPTIONAL_MEMORY,
            "",
            "Native memory for the block cache of the embedded store. Empty: an eighth of the"
                    + " machine's or container's memory, at least 128 MiB."),
    STORE_LEASE(
            "store.lease",
            DURATION,
            "5s",
            "How long reads are served after the last answer of the datastore of store.url."),
    STORE_EXPORT_FOLDER(
            "store.export-folder",
            PATH,
            "",
            "Folder for exports and imports of the Admin API, addressed by file: URLs; in a"
                    + " cluster, one that all servers share. Empty: both are refused."),
    REPLICATION_TARGETS_FILE(
            "replication.targets-file",
            PATH,
            "",
            "File with a section per deployment or file to which databases may be replicated:"
                    + " its url and token. Empty: none."),
    UPSTREAM_URL(
            "upstream.url",
            OPTIONAL,
            "",
            "Another Datastore endpoint whose databases this server answers for, such as"
                    + " https://datastore.googleapis.com, until they are moved here. Empty: none."),
    UPSTREAM_CREDENTIALS(
            "upstream.credentials",
            OPTIONAL,
            "",
            "application-default: Google's application default credentials; none. Empty: the former"
                    + " for https without upstream.token-file, otherwise none."),
    UPSTREAM_TOKEN_FILE(
            "upstream.token-file",
            PATH,
            "",
            "File whose first line is a bearer token for the upstream, such as another Petrichor."),
    UPSTREAM_TLS_TRUST(
            "upstream.tls-trust",
            PATH,
            "",
            "PEM file with the authorities whose certificates are accepted from the upstream."
                    + " Empty: those of the Java runtime."),
    UPSTREAM_CALL_TIMEOUT(
            "upstream.call-timeout",
            DURATION,
            "60s",
            "Longest time for a call of the upstream. A commit without a response counts as"
                    + " undecided for this time."),
    UPSTREAM_SHADOW_READS(
            "upstream.shadow-reads",
            RATIO,
            "0",
            "Share of the reads that are executed here, too, and compared with the upstream's"
                    + " results, from 0 to 1."),
    CLUSTER_COORDINATION(
            "cluster.coordination",
            SECRET,
            "",
            "ZooKeeper of the cluster, such as zookeeper://HOST:2181/petrichor. Empty: a standalone"
                    + " server. Needs store.url."),
    CLUSTER_ADDRESS(
            "cluster.address",
            OPTIONAL,
            "",
            "HOST:PORT where the other servers reach this one. Empty: its listen address."),
    CLUSTER_TOKEN(
            "cluster.token",
            SECRET,
            "",
            "Shared secret with which the servers of a cluster authenticate each other. On"
                    + " addresses other than loopback, this or cluster.certificate is required."),
    CLUSTER_CERTIFICATE(
            "cluster.certificate",
            PATH,
            "",
            "PEM file with this server's certificate for connections between servers; `petrichor"
                    + " cluster certificates` creates it. Empty: no TLS between servers."),
    CLUSTER_KEY(
            "cluster.key",
            PATH,
            "",
            "PEM file with the private key of cluster.certificate (PKCS #8, unencrypted)."),
    CLUSTER_AUTHORITY(
            "cluster.authority",
            PATH,
            "",
            "PEM file with the authorities whose certificates are accepted from other servers."),
    CLUSTER_LEASE(
            "cluster.lease",
            DURATION,
            "2s",
            "How long a silent server keeps its databases. Must be the same on all servers."),
    CLUSTER_REBALANCE(
            "cluster.rebalance",
            FLAG,
            "true",
            "Hand databases over to servers that join, to balance the load."),
    AUTH_TOKEN(
            "auth.token",
            SECRET,
            "",
            "Token with all rights, sent by clients as \"Authorization: Bearer TOKEN\"."),
    AUTH_TOKEN_FILE("auth.token-file", PATH, "", "File whose first line is the token."),
    AUTH_TOKENS_FILE(
            "auth.tokens-file",
            PATH,
            "",
            "File of tokens with roles, projects and databases; see `petrichor token create`."),
    TLS_CERTIFICATE(
            "tls.certificate", PATH, "", "PEM file with the certificate chain. Empty: no TLS."),
    TLS_KEY("tls.key", PATH, "", "PEM file with the private key (PKCS #8, unencrypted)."),
    INDEXES_FILE(
            "indexes.file",
            PATH,
            "",
            "index.yaml with the composite indexes of every database. Other indexes are kept."),
    INDEXES_AUTOMATIC(
            "indexes.automatic",
            FLAG,
            "true",
            "Create a missing composite index when a query needs it."),
    TRANSACTIONS_CONCURRENCY(
            "transactions.concurrency",
            CONCURRENCY,
            "optimistic",
            "optimistic: the second of two conflicting commits fails; pessimistic: it waits."),
    TRANSACTIONS_LOCK_WAIT(
            "transactions.lock-wait",
            DURATION,
            "5s",
            "How long a request waits for locks before it fails with ABORTED."),
    TRANSACTIONS_IDLE_TIMEOUT(
            "transactions.idle-timeout",
            DURATION,
            "60s",
            "A transaction without requests for this long is rolled back."),
    TRANSACTIONS_TOTAL_TIMEOUT(
            "transactions.total-timeout",
            DURATION,
            "270s",
            "A transaction that is not committed within this time is rolled back."),
    TRANSACTIONS_RETENTION(
            "transactions.retention",
            DURATION,
            "1h",
            "Maximum age of read_time. A longer retention keeps more old versions in the store."),
    TRANSACTIONS_CONSUMER_HOLD(
            "transactions.consumer-hold",
            DURATION,
            "24h",
            "How long changes and old versions are kept for a consumer that has not read them."),
    JOBS_ENABLED(
            "jobs.enabled",
            FLAG,
            "true",
            "Accept and run jobs. Clients that may submit jobs can run any program on this"
                    + " machine."),
    JOBS_FOLDER(
            "jobs.folder",
            PATH,
            "",
            "Folder for jobs and their history. Empty: jobs in store.data, or a temporary folder if"
                    + " data is in memory."),
    JOBS_RUNNING_MAX(
            "jobs.running-max", COUNT, "2", "Maximum number of running jobs; others are queued."),
    JOBS_QUEUED_MAX(
            "jobs.queued-max", COUNT, "100", "Maximum number of queued jobs; more are refused."),
    JOBS_MEMORY("jobs.memory", MEMORY, "512 MiB", "Heap of each job process."),
    JOBS_SPILL_BYTES_MAX(
            "jobs.spill-bytes-max",
            MEMORY,
            "64 GiB",
            "Maximum size of the spill files of one job, and again of the files between its stages."
                    + " A job that needs more fails."),
    JOBS_KEPT_BYTES_MAX(
            "jobs.kept-bytes-max",
            MEMORY,
            "16 GiB",
            "Maximum size of the files of all resumable jobs; the oldest are deleted first."),
    JOBS_KEPT_TIME_MAX(
            "jobs.kept-time-max",
            DURATION,
            "168h",
            "How long the files of a resumable job are kept."),
    SQL_PORT("sql.port", PORT, "0", "Port of SQL, such as 5432. 0: none."),
    SQL_ANALYTICS_MEMORY(
            "sql.analytics-memory",
            OPTIONAL_MEMORY,
            "1 GiB",
            "Memory of the process for analytics, which the first such query starts. Empty: no"
                    + " analytics."),
    SQL_ANALYTICS_DISK(
            "sql.analytics-disk",
            MEMORY,
            "16 GiB",
            "Maximum size of the copies of tables for analytics, and again of temporary files."),
    APPS_DEFAULT_PROJECT(AppConfigKeys.APPS_DEFAULT_PROJECT),
    APPS_TARGETS(AppConfigKeys.APPS_TARGETS),
    APPS_PORT(AppConfigKeys.APPS_PORT),
    APPS_TLS_PORT(AppConfigKeys.APPS_TLS_PORT),
    APPS_ACME_DIRECTORY(AppConfigKeys.APPS_ACME_DIRECTORY),
    APPS_ACME_EMAIL(AppConfigKeys.APPS_ACME_EMAIL),
    APPS_ACME_ACCEPT_TERMS(AppConfigKeys.APPS_ACME_ACCEPT_TERMS),
    APPS_ACME_AUTHORITY(AppConfigKeys.APPS_ACME_AUTHORITY),
    APPS_TRUSTED_PROXIES(AppConfigKeys.APPS_TRUSTED_PROXIES),
    APPS_DOMAIN(AppConfigKeys.APPS_DOMAIN),
    APPS_FOLDER(AppConfigKeys.APPS_FOLDER),
    APPS_REACHABLE(AppConfigKeys.APPS_REACHABLE),
    APPS_QUOTAS(AppConfigKeys.APPS_QUOTAS),
    TASKS_DELIVERIES_MAX(AppConfigKeys.TASKS_DELIVERIES_MAX),
    TASKS_RABBITMQ(AppConfigKeys.TASKS_RABBITMQ),
    CACHE_MEMORY(AppConfigKeys.CACHE_MEMORY),
    CACHE_MEMCACHED(AppConfigKeys.CACHE_MEMCACHED),
    FETCH_ALLOW(AppConfigKeys.FETCH_ALLOW),
    FETCH_CONCURRENCY(AppConfigKeys.FETCH_CONCURRENCY),
    MAIL_URL(AppConfigKeys.MAIL_URL),
    MAIL_PASSWORD(AppConfigKeys.MAIL_PASSWORD),
    MAIL_PASSWORD_FILE(AppConfigKeys.MAIL_PASSWORD_FILE),
    MAIL_SENDERS(AppConfigKeys.MAIL_SENDERS),
    MAIL_RATE(AppConfigKeys.MAIL_RATE),
    MAIL_INBOUND_PORT(AppConfigKeys.MAIL_INBOUND_PORT),
    MAIL_INBOUND_DOMAINS(AppConfigKeys.MAIL_INBOUND_DOMAINS),
    USERS_SESSION(AppConfigKeys.USERS_SESSION),
    USERS_LOGIN_URL(AppConfigKeys.USERS_LOGIN_URL),
    USERS_OPENID(AppConfigKeys.USERS_OPENID),
    USERS_OPENID_CLIENT(AppConfigKeys.USERS_OPENID_CLIENT),
    USERS_OPENID_SECRET(AppConfigKeys.USERS_OPENID_SECRET),
    USERS_OPENID_DOMAINS(AppConfigKeys.USERS_OPENID_DOMAINS),
    USERS_LDAP(AppConfigKeys.USERS_LDAP),
    USERS_LDAP_USER(AppConfigKeys.USERS_LDAP_USER),
    USERS_LDAP_PASSWORD(AppConfigKeys.USERS_LDAP_PASSWORD),
    CHANNELS_PER_APP(AppConfigKeys.CHANNELS_PER_APP),
    XMPP_URL(AppConfigKeys.XMPP_URL),
    XMPP_PASSWORD(AppConfigKeys.XMPP_PASSWORD),
    XMPP_PASSWORD_FILE(AppConfigKeys.XMPP_PASSWORD_FILE),
    XMPP_AUTHORITY(AppConfigKeys.XMPP_AUTHORITY),
    XMPP_RATE(AppConfigKeys.XMPP_RATE),
    SEARCH_FOLDER(AppConfigKeys.SEARCH_FOLDER),
    STORAGE_FOLDER(AppConfigKeys.STORAGE_FOLDER),
    STORAGE_BUCKET(AppConfigKeys.STORAGE_BUCKET),
    LIMITS_REQUEST_BYTES_MAX(
            "limits.request-bytes-max",
            BYTES,
            "32 MiB",
            "Largest request. Datastore's own limit is 10 MiB."),
    LIMITS_BUFFERED_BYTES_MAX(
            "limits.buffered-bytes-max",
            BYTES,
            "128 MiB",
            "Maximum size of requests being received or queued, over all connections."),
    LIMITS_CONNECTIONS_MAX(
            "limits.connections-max", COUNT, "20000", "Maximum number of open connections."),
    LIMITS_CALLS_PER_CONNECTION_MAX(
            "limits.calls-per-connection-max",
            COUNT,
            "1000",
            "Maximum number of concurrent calls per gRPC connection."),
    LIMITS_HEADER_BYTES_MAX(
            "limits.header-bytes-max",
            BYTES,
            "16 KiB",
            "Maximum size of the headers of a request."),
    LIMITS_FIRST_BYTES_TIMEOUT(
            "limits.first-bytes-timeout",
            DURATION,
            "60s",
            "A new connection that sends nothing for this long is closed."),
    LIMITS_REQUEST_TIMEOUT(
            "limits.request-timeout",
            DURATION,
            "60s",
            "A request that is not received completely within this time is dropped."),
    LIMITS_IDLE_TIMEOUT(
            "limits.idle-timeout",
            DURATION,
            "60m",
            "A connection without requests for this long is closed."),
    LIMITS_EXECUTION_TIMEOUT(
            "limits.execution-timeout",
            DURATION,
            "60s",
            "A request is aborted after this time, regardless of its client's deadline."),
    LOG_FORMAT(
            "log.format",
            FORMAT,
            "auto",
            "human, json (one object per line), or auto: human on a terminal, else json."),
    LOG_LEVEL(
            "log.level", LEVEL, "info", "Lowest level that is logged: debug, info, warn or error."),
    TRACES_ENDPOINT(
            "traces.endpoint",
            OPTIONAL,
            "",
            "URL of an OpenTelemetry collector that receives spans over HTTP, such as"
                    + " http://HOST:4318/v1/traces. Empty: tracing is disabled."),
    TRACES_SAMPLED(
            "traces.sampled",
            RATIO,
            "1",
            "Share of the requests without a trace of their own that are traced, from 0 to 1."),
    AUDIT_EVENTS(
            "audit.events",
            EVENTS,
            "off",
            "Requests to audit: off, writes (writes, administration, denied requests) or all."),
    AUDIT_FILE(
            "audit.file",
            PATH,
            "petrichor-audit.jsonl",
            "File of the audit log; rotated files are NAME.1, NAME.2 and so on."),
    AUDIT_FILE_BYTES_MAX(
            "audit.file-bytes-max", BYTES, "64 MiB", "Size at which the audit log is rotated."),
    AUDIT_FILES_MAX("audit.files-max", COUNT, "10", "Number of audit log files to keep.");

    private final String key;
    private final SettingKind kind;
    private final String standard;
    private final String doc;

    ConfigKey(Definition definition) {
        this(definition.key, definition.kind, definition.standard, definition.doc);
    }

    ConfigKey(String key, SettingKind kind, String standard, String doc) {
        this.key = key;
        this.kind = kind;
        this.standard = standard;
        this.doc = doc;
    }

    /** The key as written in the file: {@code section.name}. */
    public String key() {
        return key;
    }

    SettingKind kind() {
        return kind;
    }

    public String standard() {
        return standard;
    }

    public String doc() {
        return doc;
    }

    /** {@code server.port} is {@code PETRICHOR_SERVER__PORT}. */
    public String environmentVariable() {
        return ConfigVariables.nameOf(key);
    }

    /** What a key is, for a file with the keys of some sections. */
    record Definition(String key, SettingKind kind, String standard, String doc) {}
}
