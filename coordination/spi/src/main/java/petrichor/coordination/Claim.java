package petrichor.coordination;

/** What came of asking for a name. */
public sealed interface Claim {
    /**
     * It is ours, as long as {@link Membership#valid} and until we give it back.
     *
     * @param epoch higher than that of any holder before
     */
    record Granted(String name, long epoch) implements Claim {}

    /** Another member holds it, or held it and may not know of the loss. Retry. */
    record Held(Holding holding, Member holder) implements Claim {}
}
