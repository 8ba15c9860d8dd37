package petrichor.services.blobs;

import java.util.List;

/**
 * A page of a list.
 *
 * @param objects in the order of their names, versions of an object in the order of generations
 * @param prefixes common prefixes, in order
 * @param nextPageToken empty if this is the last page
 */
public record Listing(List<BlobObject> objects, List<String> prefixes, String nextPageToken) {
    public Listing {
        objects = List.copyOf(objects);
        prefixes = List.copyOf(prefixes);
    }
}
