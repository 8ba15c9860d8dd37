package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How tuples are assigned to nodes. */
public enum Strategy {
    /** By the hash of the key. */
    RANDOM,
    /** Ranges of the key: author, then time. */
    ORDERED,
    /** Ranges of a Hilbert curve over author, mention and hashtag. */
    TAGGED,
    /** Ranges of a Hilbert curve over the two followees of the author that most users follow. */
    TAGGED_FRIENDS,
    /** Groups of authors from streaming partitioning, one per node. */
    AFFINITY_GROUPS,
    /** Ranges of keys whose prefix is the author's leaf of a recursive bisection. */
    AFFINITY_PREFIX,
    /** Ranges of the least hash of the author's followees. */
    MINHASH,
    /** Groups of authors that METIS found, one per node: {@link Simulation#ofMetis}. */
    METIS;

    /** Those that need nothing else. */
    public static final List<Strategy> OWN =
            Arrays.stream(values()).filter(strategy -> strategy != METIS).toList();

    /** As written on the command line and in tables. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
