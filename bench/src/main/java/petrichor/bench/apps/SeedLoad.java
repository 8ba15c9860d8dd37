package petrichor.bench.apps;

import java.util.Locale;

/**
 * The loads of seed 000: three apps with up to 60 users (chapter 3), and four queries and a mix of
 * gets and puts with up to 1,500 (chapter 5).
 */
enum SeedLoad {
    GUESTBOOK(60, 13.5, 1.5, "half of the requests sign, half look"),
    SHELL(60, 1, 1, "\"a = 5; b = 2; a + b;\""),
    SIEVES(60, 0, 0, "the first thousand primes, without the datastore"),
    KINDLESS(1_500, 100, 0, "100 entities of any kind after a parent"),
    ANCESTOR(1_500, 100, 0, "the 100 children of a parent"),
    SINGLE(1_500, 100, 0, "100 children above a number"),
    COMPOSITE(1_500, 100, 0, "the same with another property"),
    MIX(1_500, 0.8, 0.2, "80 % gets of 1,000 entities, 20 % puts of new ones");

    private final int users;
    private final double reads;
    private final double writes;
    private final String description;

    SeedLoad(int users, double reads, double writes, String description) {
        this.users = users;
        this.reads = reads;
        this.writes = writes;
        this.description = description;
    }

    int users() {
        return users;
    }

    /** Entities that a request reads at most, on average, with the tasks that it causes. */
    double reads() {
        return reads;
    }

    double writes() {
        return writes;
    }

    String description() {
        return description;
    }

    boolean isApp() {
        return users == GUESTBOOK.users;
    }

    /** As in commands and files. */
    String displayName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
