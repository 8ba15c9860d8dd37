package petrichor.apps.certificates;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An order that brought no certificate; the text says why. */
final class OrderFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final transient @Nullable Instant notBefore;

    OrderFailure(String reason, @Nullable Throwable cause, @Nullable Instant notBefore) {
        super(reason, cause);
        this.notBefore = notBefore;
    }

    String reason() {
        return String.valueOf(getMessage());
    }

    /** The authority refuses orders until then. */
    Optional<Instant> notBefore() {
        return Optional.ofNullable(notBefore);
    }
}
