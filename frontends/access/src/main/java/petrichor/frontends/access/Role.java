package petrichor.frontends.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The permissions of a token. Each role includes the previous ones. */
public enum Role {
    /** Lookups, queries, read-only transactions. */
    READ,
    /** Commits, id allocation, read-write transactions. */
    WRITE,
    /** Indexes, jobs, log levels, reset and shutdown. */
    ADMIN;

    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** The spelling in configuration files and messages: {@code read}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Role> of(String text) {
        return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
    }
}
