package petrichor.bench.jobs;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;

/** The measured jobs; in lower case they are the words used everywhere. */
enum MeasuredJob {
    /** The sort of a single line: the fixed cost of a contender. */
    EMPTY,
    SORT,
    WORDS,
    SMALLEST,
    Q3;

    /** One of this many keys is among the smallest. */
    static final int SMALLEST_PARTS = 5;

    String displayName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static MeasuredJob of(String word) {
        for (MeasuredJob job : values()) {
            if (job.displayName().equals(word)) {
                return job;
            }
        }
        throw PetrichorException.invalid(
                "there is no job "
                        + word
                        + " to measure, only "
                        + Arrays.stream(values())
                                .map(MeasuredJob::displayName)
                                .collect(Collectors.joining(", ")));
    }
}
