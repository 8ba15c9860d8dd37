package petrichor.tuples;

/**
 * A way to store a collection.
 *
 * @param tagIndex whether tags that do not determine positions have index entries
 */
public record PlacementOption(TuplePlacement placement, boolean tagIndex) {
    /** For people. */
    public String text() {
        String name =
                switch (placement) {
                    case TuplePlacement.Hashed(int buckets) ->
                            "random over " + buckets + " buckets";
                    case TuplePlacement.Ordered _ -> "ordered";
                    case TuplePlacement.Tagged tagged ->
                            "tagged by " + String.join(", ", tagged.dimensions());
                    case TuplePlacement.Affinity affinity ->
                            "affinity with " + affinity.groups() + " groups";
                    case TuplePlacement.Colocated colocated ->
                            "colocated with " + colocated.collection();
                };
        return tagIndex ? name : name + ", no tag index";
    }
}
