package petrichor.server.admin;

import com.google.datastore.admin.v1.EntityFilter;
import com.google.datastore.v1.Key;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.movement.ExportPart;

/** The entities that an export or import covers; empty sets mean all. */
record EntityFilterScope(Set<String> kinds, Set<String> namespaces) {
    /** Google's limit. */
    private static final int KINDS_MAX = 100;

    private static final int NAMESPACES_MAX = 100;

    EntityFilterScope {
        kinds = Collections.unmodifiableSet(new LinkedHashSet<>(kinds));
        namespaces = Collections.unmodifiableSet(new LinkedHashSet<>(namespaces));
    }

    static EntityFilterScope of(EntityFilter filter) {
        requireDistinct("kinds", filter.getKindsList(), KINDS_MAX);
        requireDistinct("namespace_ids", filter.getNamespaceIdsList(), NAMESPACES_MAX);
        return new EntityFilterScope(
                new LinkedHashSet<>(filter.getKindsList()),
                new LinkedHashSet<>(filter.getNamespaceIdsList()));
    }

    private static void requireDistinct(String what, List<String> names, int max) {
        if (names.size() > max || new HashSet<>(names).size() < names.size()) {
            throw PetrichorException.invalid(
                    "entity_filter.{filter} must name at most {max} different values; it has"
                            + " {namesCount}.",
                    "filter",
                    what,
                    "max",
                    max,
                    "namesCount",
                    names.size());
        }
        if (what.equals("kinds") && names.contains("")) {
            throw PetrichorException.invalid("entity_filter.kinds must not have an empty name.");
        }
    }

    /** The parts of an export with this scope. */
    List<ExportPart> parts() {
        List<ExportPart> parts = new ArrayList<>();
        for (@Nullable String namespace : orAll(namespaces)) {
            for (@Nullable String kind : orAll(kinds)) {
                parts.add(new ExportPart(namespace, kind));
            }
        }
        return parts;
    }

    private static List<@Nullable String> orAll(Set<String> names) {
        List<@Nullable String> all = new ArrayList<>(names);
        if (all.isEmpty()) {
            all.add(null);
        }
        return all;
    }

    boolean includes(Key key) {
        return (kinds.isEmpty() || kinds.contains(key.getPath(key.getPathCount() - 1).getKind()))
                && (namespaces.isEmpty()
                        || namespaces.contains(key.getPartitionId().getNamespaceId()));
    }
}
