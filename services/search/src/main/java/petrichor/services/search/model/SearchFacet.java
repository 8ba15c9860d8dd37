package petrichor.services.search.model;

/** A category of a document, for counting and refining results. */
public record SearchFacet(String name, Value value) {
    /** Either a label or a number. */
    public sealed interface Value {}

    public record Label(String text) implements Value {}

    public record Amount(double number) implements Value {}
}
