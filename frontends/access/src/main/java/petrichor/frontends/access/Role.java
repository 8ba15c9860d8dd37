package petrichor.frontends.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The permissions of a token. */
public enum Role {
    /** State, configuration and logs of deployed apps. */
    VIEW,
    /** Deployments and versions of apps, their traffic, variables and secrets. */
    DEPLOY,
    /** Lookups, queries, read-only transactions. */
    READ,
    /** Commits, id allocation, read-write transactions. */
    WRITE,
    /** All of these; indexes, jobs, log levels, tokens, reset and shutdown. */
    ADMIN;

    public boolean includes(Role needed) {
        return switch (this) {
            case VIEW -> needed == VIEW;
            case DEPLOY -> needed == VIEW || needed == DEPLOY;
            case READ -> needed == READ;
            case WRITE -> needed == READ || needed == WRITE;
            case ADMIN -> true;
        };
    }

    /** Whether a request that needs this role may change something. */
    public boolean changes() {
        return switch (this) {
            case VIEW, READ -> false;
            case DEPLOY, WRITE, ADMIN -> true;
        };
    }

    /** The spelling in configuration files and messages: {@code read}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Role> of(String text) {
        return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
    }
}
