package petrichor.services.search.model;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/** Validation of documents and names, as App Engine does it. */
public final class DocumentRules {
    private static final Pattern FIELD_NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]*");
    private static final Pattern LANGUAGE = Pattern.compile(".{2,3}|.{2}_.{2}");

    private DocumentRules() {}

    /** INVALID_ARGUMENT with the first violated rule. */
    public static void require(SearchDocument document) {
        requireIdentifier(
                "The id of a document", document.id(), SearchLimits.DOCUMENT_ID_CHARS_MAX);
        requireLanguage(document.language());
        requireRank(document.rank());
        if (document.fields().isEmpty()) {
            throw PetrichorException.invalid(
                    "The document {id} has no fields; a document has at least one.",
                    "id",
                    document.id());
        }
        if (document.fields().size() + document.facets().size() > SearchLimits.FIELDS_MAX) {
            throw PetrichorException.invalid(
                    "The document {id} has more than {fieldsMax} fields and facets.",
                    "id",
                    document.id(),
                    "fieldsMax",
                    SearchLimits.FIELDS_MAX);
        }
        Set<String> single = new HashSet<>();
        for (SearchField field : document.fields()) {
            requireField(document, field, single);
        }
        for (SearchFacet facet : document.facets()) {
            requireFacet(facet);
        }
    }

    private static void requireField(
            SearchDocument document, SearchField field, Set<String> single) {
        requireFieldName(field.name());
        if (!field.language().isEmpty()) {
            requireLanguage(field.language());
        }
        boolean unique =
                switch (field.value()) {
                    case FieldValue.Text text -> {
                        requireText(field.name(), text);
                        yield false;
                    }
                    case FieldValue.Numeric numeric -> {
                        requireNumber(field.name(), numeric.number());
                        yield true;
                    }
                    case FieldValue.Date _ -> true;
                    case FieldValue.GeoPoint point -> {
                        requirePoint(field.name(), point);
                        yield false;
                    }
                    case FieldValue.Vector vector -> {
                        requireAtMost(
                                field.name(),
                                vector.components().size(),
                                SearchLimits.VECTOR_COMPONENTS_MAX);
                        yield true;
                    }
                };
        if (unique && !single.add(field.value().type() + ":" + field.name())) {
            throw PetrichorException.invalid(
                    "The document {id} has the field {field} with type date, number or vector more"
                            + " than once.",
                    "id",
                    document.id(),
                    "field",
                    field.name());
        }
    }

    private static void requireText(String name, FieldValue.Text text) {
        int bytes = text.text().getBytes(StandardCharsets.UTF_8).length;
        switch (text.type()) {
            case TEXT, HTML -> requireAtMost(name, bytes, SearchLimits.TEXT_BYTES_MAX);
            case ATOM -> requireAtMost(name, bytes, SearchLimits.ATOM_BYTES_MAX);
            case UNTOKENIZED_PREFIX, TOKENIZED_PREFIX ->
                    requireAtMost(name, bytes, SearchLimits.PREFIX_BYTES_MAX);
            case DATE, NUMBER, GEO, VECTOR -> throw new IllegalStateException("not textual");
        }
    }

    private static void requireFacet(SearchFacet facet) {
        requireFieldName(facet.name());
        switch (facet.value()) {
            case SearchFacet.Label(String text) -> {
                if (text.isEmpty()) {
                    throw PetrichorException.invalid(
                            "The value of the facet {facet} is empty.", "facet", facet.name());
                }
                requireAtMost(
                        facet.name(),
                        text.getBytes(StandardCharsets.UTF_8).length,
                        SearchLimits.ATOM_BYTES_MAX);
            }
            case SearchFacet.Amount(double number) -> requireNumber(facet.name(), number);
        }
    }

    private static void requireAtMost(String name, int size, int sizeMax) {
        if (size > sizeMax) {
            throw PetrichorException.invalid(
                    "The value of {field} has the size {size}; at most {sizeMax} is allowed.",
                    "field",
                    name,
                    "size",
                    size,
                    "sizeMax",
                    sizeMax);
        }
    }

    private static void requireNumber(String name, double number) {
        // Also false for NaN.
        if (!(Math.abs(number) <= SearchLimits.NUMBER_MAX)) {
            throw PetrichorException.invalid(
                    "The number {number} of {field} is not between -2147483647 and 2147483647.",
                    "number",
                    number,
                    "field",
                    name);
        }
    }

    private static void requirePoint(String name, FieldValue.GeoPoint point) {
        if (!(Math.abs(point.latitude()) <= 90) || !(Math.abs(point.longitude()) <= 180)) {
            throw PetrichorException.invalid(
                    "The point of {field} needs a latitude from -90 to 90 and a longitude from"
                            + " -180 to 180.",
                    "field",
                    name);
        }
    }

    private static void requireRank(int rank) {
        if (rank < 0) {
            throw PetrichorException.invalid("The rank {rank} is negative.", "rank", rank);
        }
    }

    static void requireFieldName(String name) {
        if (name.length() > SearchLimits.FIELD_NAME_CHARS_MAX
                || !FIELD_NAME.matcher(name).matches()) {
            throw PetrichorException.invalid(
                    "The name of a field or facet has 1 to 500 letters, digits and '_', and"
                            + " starts with a letter.");
        }
    }

    private static void requireLanguage(String language) {
        if (!LANGUAGE.matcher(language).matches()) {
            throw PetrichorException.invalid(
                    "The language of a document or field is a code such as en or pt_BR.");
        }
    }

    /** Visible ASCII; not reserved. */
    public static void requireIdentifier(String what, String id, int charsMax) {
        boolean visible = id.chars().allMatch(c -> c > ' ' && c <= '~');
        if (id.isEmpty() || id.length() > charsMax || !visible) {
            throw PetrichorException.invalid(
                    "{what} has 1 to {charsMax} visible ASCII characters.",
                    "what",
                    what,
                    "charsMax",
                    charsMax);
        }
        if (id.startsWith("!") || (id.startsWith("__") && id.endsWith("__"))) {
            throw PetrichorException.invalid(
                    "{what} does not start with '!', and not with and end with '__'.",
                    "what",
                    what);
        }
    }
}
