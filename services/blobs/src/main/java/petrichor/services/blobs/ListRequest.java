package petrichor.services.blobs;

import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Which objects to list.
 *
 * @param delimiter names that contain it after the prefix are listed as one common prefix; empty
 *     for none
 * @param glob holds for the names to list; null for all
 * @param pageToken of the previous page; empty for the first one
 * @param entriesMax objects and common prefixes per page
 */
public record ListRequest(
        Names names,
        String delimiter,
        @Nullable Predicate<String> glob,
        Set<Option> options,
        String pageToken,
        int entriesMax) {
    public static final int ENTRIES_MAX = 1_000;

    /** What else to list. */
    public enum Option {
        /** Also noncurrent versions. */
        VERSIONS,
        /** Also objects whose name ends with the delimiter, beside the common prefix. */
        TRAILING_DELIMITER
    }

    /**
     * @param start first name; empty for all
     * @param end first name that is not listed; empty for all
     */
    public record Names(String prefix, String start, String end) {}

    public ListRequest {
        options = Set.copyOf(options);
        if (entriesMax < 1 || entriesMax > ENTRIES_MAX) {
            throw PetrichorException.invalid(
                    "A page has 1 to " + ENTRIES_MAX + " entries, not {entriesMax}.",
                    "entriesMax",
                    entriesMax);
        }
    }

    public static ListRequest all() {
        return ofPrefix("", "");
    }

    public static ListRequest ofPrefix(String prefix, String delimiter) {
        return new ListRequest(
                new Names(prefix, "", ""), delimiter, null, Set.of(), "", ENTRIES_MAX);
    }

    /**
     * All objects with their former versions.
     *
     * @param token of the previous page; empty for the first one
     */
    public static ListRequest versions(String token) {
        return new ListRequest(
                new Names("", "", ""), "", null, Set.of(Option.VERSIONS), token, ENTRIES_MAX);
    }

    public ListRequest from(String token, int max) {
        return new ListRequest(names, delimiter, glob, options, token, max);
    }
}
