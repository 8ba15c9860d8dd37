package petrichor.apps.catalog;

import petrichor.base.PetrichorException;

/**
 * A version of a service. Its sources do not change; a version that is deployed again is another
 * one with the same name.
 *
 * @param sources SHA-256 of the sources, in hexadecimal
 * @param serving whether it may have instances; a stopped version keeps its name and traffic
 */
public record VersionRecord(String name, String sources, Origin origin, boolean serving) {
    private static final String HASH = "[0-9a-f]{64}";

    /**
     * @param micros since 1970
     * @param by who deployed it; empty if that is unknown
     */
    public record Origin(long micros, String by) {}

    public VersionRecord {
        Names.requireVersion(name);
        if (!sources.matches(HASH)) {
            throw PetrichorException.invalid(
                    "\"{sources}\" is not a SHA-256 hash", "sources", sources);
        }
    }

    VersionRecord with(boolean nowServing) {
        return new VersionRecord(name, sources, origin, nowServing);
    }
}
