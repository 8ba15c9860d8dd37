package petrichor.server.config;

/** The type of a configuration key's values. */
enum SettingKind {
    TEXT("a text"),
    SECRET("a text"),
    OPTIONAL("a text"),
    PATH("a path"),
    FLAG("true or false"),
    PORT("a whole number from 0 to 65535"),
    COUNT("a whole number from 1 to 2000000000"),
    RATIO("a number from 0 to 1"),
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

    SettingKind(String expectation) {
        this.expectation = expectation;
    }

    /** Describes valid values, for error messages. */
    String expectation() {
        return expectation;
    }
}
