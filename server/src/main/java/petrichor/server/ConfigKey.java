package petrichor.server;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Every key of {@code petrichor.toml}, with what it means and what holds when it is not set. */
public enum ConfigKey {
    SERVER_HOST(
            "server.host",
            Kind.TEXT,
            "localhost",
            "Address to listen on. Anything but this machine needs auth.token or --insecure."),
    SERVER_PORT(
            "server.port",
            Kind.PORT,
            "8081",
            "Port of the API, health and metrics. 0 takes a free one."),
    SERVER_INSECURE(
            "server.insecure",
            Kind.FLAG,
            "false",
            "Listen beyond this machine although nobody has to authenticate."),
    SERVER_DRAIN_TIMEOUT(
            "server.drain-timeout",
            Kind.DURATION,
            "10s",
            "How long running requests may take to end when the server stops."),
    SERVER_NAMES(
            "server.names",
            Kind.OPTIONAL,
            "",
            "Names, separated by commas, under which clients reach this server, beside localhost"
                    + " and addresses. Without a token, others in Host are refused."),
    SERVER_MEMORY_PERCENT(
            "server.memory-percent",
            Kind.PERCENT,
            "60",
            "Part of the heap for what clients make grow: requests, transactions, commits that"
                    + " wait, responses, caches."),
    SERVER_START_TIMEOUT(
            "server.start-timeout",
            Kind.DURATION,
            "60s",
            "How long a start waits for a store or a ZooKeeper that does not answer."),
    SERVER_RELOAD_INTERVAL(
            "server.reload-interval",
            Kind.DURATION,
            "5s",
            "How often the files of tokens and certificates are checked for changes."),
    STORE_MEMORY(
            "store.memory",
            Kind.FLAG,
            "false",
            "Keep everything in memory and forget it at the end; allows /reset and /shutdown."),
    STORE_URL(
            "store.url",
            Kind.SECRET,
            "",
            "Address of the datastore that holds everything, such as cassandra://HOST/petrichor."
                    + " Empty: the embedded store."),
    STORE_PASSWORD(
            "store.password", Kind.SECRET, "", "Password for store.url, if it is not in there."),
    STORE_PASSWORD_FILE(
            "store.password-file", Kind.PATH, "", "File whose first line is that password."),
    STORE_DATA("store.data", Kind.PATH, "petrichor-data", "Folder of the embedded store."),
    STORE_CACHE(
            "store.cache",
            Kind.OPTIONAL_MEMORY,
            "",
            "Native memory in which the embedded store caches blocks of its files. Empty: an"
                    + " eighth of the machine's or container's memory, at least 128 MiB."),
    STORE_LEASE(
            "store.lease",
            Kind.DURATION,
            "5s",
            "How long reads are served after the datastore of store.url answered last."),
    STORE_EXPORT_FOLDER(
            "store.export-folder",
            Kind.PATH,
            "",
            "Folder for exports and imports of the Admin API, which names places in it by file:"
                    + " URLs. Empty: they are refused."),
    CLUSTER_COORDINATION(
            "cluster.coordination",
            Kind.SECRET,
            "",
            "ZooKeeper of the cluster, such as zookeeper://HOST:2181/petrichor. Empty: this server"
                    + " is alone. Needs store.url."),
    CLUSTER_ADDRESS(
            "cluster.address",
            Kind.OPTIONAL,
            "",
            "HOST:PORT where the other servers reach this one. Empty: what it listens on."),
    CLUSTER_TOKEN(
            "cluster.token",
            Kind.SECRET,
            "",
            "Shared by the servers of a cluster, to know each other. Needed beyond this machine."),
    CLUSTER_LEASE(
            "cluster.lease",
            Kind.DURATION,
            "2s",
            "How long a server that is silent keeps its databases. The same on all servers."),
    CLUSTER_REBALANCE(
            "cluster.rebalance",
            Kind.FLAG,
            "true",
            "Hand databases over to servers that join, so that all servers own some."),
    AUTH_TOKEN(
            "auth.token",
            Kind.SECRET,
            "",
            "Token with all rights, which callers send as \"Authorization: Bearer TOKEN\"."),
    AUTH_TOKEN_FILE("auth.token-file", Kind.PATH, "", "File whose first line is the token."),
    AUTH_TOKENS_FILE(
            "auth.tokens-file",
            Kind.PATH,
            "",
            "File of tokens with roles, projects and databases; `petrichor token create` adds"
                    + " one."),
    TLS_CERTIFICATE(
            "tls.certificate",
            Kind.PATH,
            "",
            "PEM file with the certificate chain. Empty: no TLS."),
    TLS_KEY("tls.key", Kind.PATH, "", "PEM file with the private key, PKCS 8, no password."),
    INDEXES_FILE(
            "indexes.file",
            Kind.PATH,
            "",
            "index.yaml with the composite indexes that every database has. Others stay."),
    INDEXES_AUTOMATIC(
            "indexes.automatic",
            Kind.FLAG,
            "true",
            "Make a composite index when a query needs one that is not declared."),
    TRANSACTIONS_CONCURRENCY(
            "transactions.concurrency",
            Kind.CONCURRENCY,
            "optimistic",
            "optimistic: the second commit fails; pessimistic: the second writer waits."),
    TRANSACTIONS_LOCK_WAIT(
            "transactions.lock-wait",
            Kind.DURATION,
            "5s",
            "Longest wait of a request for locks; then it fails with ABORTED."),
    TRANSACTIONS_IDLE_TIMEOUT(
            "transactions.idle-timeout",
            Kind.DURATION,
            "60s",
            "A transaction without requests for so long is rolled back."),
    TRANSACTIONS_TOTAL_TIMEOUT(
            "transactions.total-timeout",
            Kind.DURATION,
            "270s",
            "A transaction that is not committed after this is rolled back."),
    TRANSACTIONS_RETENTION(
            "transactions.retention",
            Kind.DURATION,
            "1h",
            "How far back read_time reaches. Longer keeps more old versions in the store."),
    JOBS_ENABLED(
            "jobs.enabled",
            Kind.FLAG,
            "true",
            "Run jobs that are submitted. Whoever may submit one may run any program here."),
    JOBS_FOLDER(
            "jobs.folder",
            Kind.PATH,
            "",
            "Folder for jobs and their history. Empty: jobs in store.data, or a temporary one if"
                    + " nothing is kept."),
    JOBS_RUNNING_MAX("jobs.running-max", Kind.COUNT, "2", "Jobs that run at once; others wait."),
    JOBS_QUEUED_MAX("jobs.queued-max", Kind.COUNT, "100", "Jobs that wait; one more is refused."),
    JOBS_MEMORY("jobs.memory", Kind.MEMORY, "512 MiB", "Heap of the process of one job."),
    JOBS_SPILL_BYTES_MAX(
            "jobs.spill-bytes-max",
            Kind.MEMORY,
            "64 GiB",
            "What one job may keep on disk because it does not fit into memory, and again in files"
                    + " between its stages. A job that needs more fails."),
    JOBS_KEPT_BYTES_MAX(
            "jobs.kept-bytes-max",
            Kind.MEMORY,
            "16 GiB",
            "Files of stopped jobs that can be gone on with, all together; the oldest go."),
    JOBS_KEPT_TIME_MAX(
            "jobs.kept-time-max",
            Kind.DURATION,
            "168h",
            "How long the files of such a job are kept."),
    LIMITS_REQUEST_BYTES_MAX(
            "limits.request-bytes-max",
            Kind.BYTES,
            "32 MiB",
            "Largest request. Datastore's own limit is 10 MiB."),
    LIMITS_BUFFERED_BYTES_MAX(
            "limits.buffered-bytes-max",
            Kind.BYTES,
            "128 MiB",
            "Requests that are being received or wait, over all connections."),
    LIMITS_CONNECTIONS_MAX(
            "limits.connections-max", Kind.COUNT, "20000", "Connections open at once."),
    LIMITS_CALLS_PER_CONNECTION_MAX(
            "limits.calls-per-connection-max",
            Kind.COUNT,
            "1000",
            "Calls running at once on one gRPC connection."),
    LIMITS_HEADER_BYTES_MAX(
            "limits.header-bytes-max", Kind.BYTES, "16 KiB", "Headers of one request."),
    LIMITS_FIRST_BYTES_TIMEOUT(
            "limits.first-bytes-timeout",
            Kind.DURATION,
            "60s",
            "A new connection that says nothing is closed after this."),
    LIMITS_REQUEST_TIMEOUT(
            "limits.request-timeout",
            Kind.DURATION,
            "60s",
            "A request that has not arrived as a whole after this is dropped."),
    LIMITS_IDLE_TIMEOUT(
            "limits.idle-timeout",
            Kind.DURATION,
            "60m",
            "A connection without requests is closed after this."),
    LIMITS_EXECUTION_TIMEOUT(
            "limits.execution-timeout",
            Kind.DURATION,
            "60s",
            "A request is given up after this, whatever deadline its client set."),
    LOG_FORMAT(
            "log.format",
            Kind.FORMAT,
            "auto",
            "human, json (one object per line), or auto: human on a terminal, else json."),
    LOG_LEVEL(
            "log.level",
            Kind.LEVEL,
            "info",
            "Least important line that is written: debug, info, warn or error."),
    AUDIT_EVENTS(
            "audit.events",
            Kind.EVENTS,
            "off",
            "Requests in the audit log: off, writes (writes, administration, denied ones) or all."),
    AUDIT_FILE(
            "audit.file",
            Kind.PATH,
            "petrichor-audit.jsonl",
            "File of the audit log; older ones are beside it as NAME.1, NAME.2."),
    AUDIT_FILE_BYTES_MAX(
            "audit.file-bytes-max", Kind.BYTES, "64 MiB", "Largest file of the audit log."),
    AUDIT_FILES_MAX("audit.files-max", Kind.COUNT, "10", "Files of the audit log that are kept.");

    /** What values a key takes. */
    enum Kind {
        TEXT("a text"),
        SECRET("a text"),
        OPTIONAL("a text"),
        PATH("a path"),
        FLAG("true or false"),
        PORT("a whole number from 0 to 65535"),
        COUNT("a whole number from 1 to 2000000000"),
        PERCENT("a whole number from 5 to 90"),
        BYTES("a size such as 4096, 16 KiB or 32 MiB, less than 2 GiB"),
        MEMORY("a size such as 512 MiB or 4 GiB, from 64 MiB to 1024 GiB"),
        OPTIONAL_MEMORY("a size such as 512 MiB or 4 GiB, from 64 MiB to 1024 GiB, or nothing"),
        DURATION("a duration such as 500ms, 10s, 5m or 1h, more than 0"),
        CONCURRENCY("optimistic or pessimistic"),
        FORMAT("auto, human or json"),
        LEVEL("debug, info, warn or error"),
        EVENTS("off, writes or all");

        private final String expectation;

        Kind(String expectation) {
            this.expectation = expectation;
        }

        /** What a value must be, for an error text. */
        String expectation() {
            return expectation;
        }
    }

    private static final String ENVIRONMENT_PREFIX = "PETRICHOR_";
    private static final String ENVIRONMENT_SEPARATOR = "__";
    private static final ConfigKey[] ALL = values();

    private final String key;
    private final Kind kind;
    private final String standard;
    private final String doc;

    ConfigKey(String key, Kind kind, String standard, String doc) {
        this.key = key;
        this.kind = kind;
        this.standard = standard;
        this.doc = doc;
    }

    /** As in the file: {@code section.name}. */
    public String key() {
        return key;
    }

    Kind kind() {
        return kind;
    }

    /** The value when nobody sets one. */
    public String standard() {
        return standard;
    }

    public String doc() {
        return doc;
    }

    /** {@code server.port} is {@code PETRICHOR_SERVER__PORT}. */
    public String environmentVariable() {
        return ENVIRONMENT_PREFIX
                + key.toUpperCase(Locale.ROOT)
                        .replace(".", ENVIRONMENT_SEPARATOR)
                        .replace('-', '_');
    }

    /** Whether a variable wants to set a key, rightly or wrongly spelled. */
    static boolean isMeant(String variable) {
        return variable.startsWith(ENVIRONMENT_PREFIX) && variable.contains(ENVIRONMENT_SEPARATOR);
    }

    /** What keys begin with, before the dot. */
    static List<String> sections() {
        return Arrays.stream(ALL)
                .map(one -> one.key.substring(0, one.key.indexOf('.')))
                .distinct()
                .toList();
    }

    static Optional<ConfigKey> ofVariable(String variable) {
        return Arrays.stream(ALL)
                .filter(one -> one.environmentVariable().equals(variable))
                .findFirst();
    }

    /** The key that was meant by a variable such as {@code PETRICHOR_SERVER_PORT}. */
    static Optional<ConfigKey> ofVariableWithOneUnderscore(String variable) {
        return Arrays.stream(ALL)
                .filter(
                        one ->
                                one.environmentVariable()
                                        .replace(ENVIRONMENT_SEPARATOR, "_")
                                        .equals(variable))
                .findFirst();
    }

    static Optional<ConfigKey> of(String key) {
        return Arrays.stream(ALL).filter(one -> one.key.equals(key)).findFirst();
    }
}
