package petrichor.placement.simulation;

import java.util.List;
import java.util.Locale;

/** The operations of seed 004, with their shares in its workload. */
public enum Operation {
    FRIENDS_TIMELINE(45),
    USER_TIMELINE(5),
    CONTAINS_HASHTAG(15),
    MENTIONS(25),
    UPDATE(5),
    FRIENDSHIP_CREATE(2.5),
    FRIENDSHIP_DESTROY(2.5);

    static final List<Operation> ALL = List.of(values());

    private final double percent;

    Operation(double percent) {
        this.percent = percent;
    }

    public double percent() {
        return percent;
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
