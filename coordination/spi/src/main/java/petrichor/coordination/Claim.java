package petrichor.coordination;

/** Outcome of a claim to a name. */
public sealed interface Claim {
    /**
     * This process holds the name, as long as {@link Membership#valid} and until it releases it.
     *
     * @param epoch fencing token: higher than that of any earlier holder
     */
    record Granted(String name, long epoch) implements Claim {}

    /** Another member holds the name, or held it and may not know of the loss. Retry. */
    record Held(NameHolder holding, Member holder) implements Claim {}
}
