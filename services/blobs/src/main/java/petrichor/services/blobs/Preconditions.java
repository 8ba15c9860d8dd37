package petrichor.services.blobs;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Conditions on the version of a bucket or an object. The generation of an object that does not
 * exist is 0. Null components do not restrict.
 */
public record Preconditions(
        @Nullable Long generationMatch,
        @Nullable Long generationNotMatch,
        @Nullable Long metagenerationMatch,
        @Nullable Long metagenerationNotMatch) {
    public static final Preconditions NONE = new Preconditions(null, null, null, null);

    /** The object must not exist. */
    public static final Preconditions ABSENT = new Preconditions(0L, null, null, null);

    /** Outcome of a check. */
    public enum Verdict {
        MET,
        /** A condition of a match does not hold. */
        FAILED,
        /** The client has this version already. */
        NOT_MODIFIED
    }

    public static Preconditions generation(long generation) {
        return new Preconditions(generation, null, null, null);
    }

    /**
     * @param version null if the object does not exist
     */
    public Verdict verdict(@Nullable Version version) {
        long generation = version == null ? 0 : version.generation();
        long metageneration = version == null ? 0 : version.metageneration();
        if ((generationMatch != null && generationMatch != generation)
                || (metagenerationMatch != null && metagenerationMatch != metageneration)) {
            return Verdict.FAILED;
        }
        boolean known =
                (generationNotMatch != null && generationNotMatch == generation)
                        || (metagenerationNotMatch != null
                                && metagenerationNotMatch == metageneration);
        return known ? Verdict.NOT_MODIFIED : Verdict.MET;
    }

    /** FAILED_PRECONDITION unless all conditions hold. */
    public void require(@Nullable Version version, String what) {
        if (verdict(version) != Verdict.MET) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "a precondition does not hold for {what}, which has generation {generation} and"
                            + " metageneration {metageneration}; read it again",
                    "what",
                    what,
                    "generation",
                    version == null ? 0 : version.generation(),
                    "metageneration",
                    version == null ? 0 : version.metageneration());
        }
    }
}
