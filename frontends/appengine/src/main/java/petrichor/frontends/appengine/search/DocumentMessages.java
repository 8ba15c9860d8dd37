package petrichor.frontends.appengine.search;

import com.google.apphosting.api.search.DocumentPb;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchFacet;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.query.QueryLiterals;

/** Documents on the wire. */
final class DocumentMessages {
    private static final long DAY_MILLIS = 86_400_000;

    private DocumentMessages() {}

    static SearchDocument of(DocumentPb.Document document, int defaultRank) {
        List<SearchField> fields = new ArrayList<>();
        for (DocumentPb.Field field : document.getFieldList()) {
            DocumentPb.FieldValue value = field.getValue();
            String language = value.hasLanguage() ? value.getLanguage() : "";
            fields.add(new SearchField(field.getName(), value(field.getName(), value), language));
        }
        List<SearchFacet> facets = new ArrayList<>();
        for (DocumentPb.Facet facet : document.getFacetList()) {
            facets.add(new SearchFacet(facet.getName(), facetValue(facet)));
        }
        return new SearchDocument(
                document.getId(),
                document.getLanguage(),
                document.hasOrderId() ? document.getOrderId() : defaultRank,
                fields,
                facets);
    }

    private static FieldValue value(String name, DocumentPb.FieldValue value) {
        String text = value.getStringValue();
        return switch (value.getType()) {
            case TEXT -> new FieldValue.Text(SearchFieldType.TEXT, text);
            case HTML -> new FieldValue.Text(SearchFieldType.HTML, text);
            case ATOM -> new FieldValue.Text(SearchFieldType.ATOM, text);
            case UNTOKENIZED_PREFIX ->
                    new FieldValue.Text(SearchFieldType.UNTOKENIZED_PREFIX, text);
            case TOKENIZED_PREFIX -> new FieldValue.Text(SearchFieldType.TOKENIZED_PREFIX, text);
            case DATE -> new FieldValue.Date(millis(name, text));
            case NUMBER -> new FieldValue.Numeric(number(name, text));
            case GEO -> new FieldValue.GeoPoint(value.getGeo().getLat(), value.getGeo().getLng());
            case VECTOR -> new FieldValue.Vector(value.getVectorValueList());
        };
    }

    private static SearchFacet.Value facetValue(DocumentPb.Facet facet) {
        String text = facet.getValue().getStringValue();
        return switch (facet.getValue().getType()) {
            case ATOM -> new SearchFacet.Label(text);
            case NUMBER -> new SearchFacet.Amount(number(facet.getName(), text));
        };
    }

    private static double number(String name, String text) {
        Double number = QueryLiterals.number(text);
        if (number == null) {
            throw PetrichorException.invalid(
                    "The value \"{value}\" of {field} is not a number.",
                    "value",
                    text,
                    "field",
                    name);
        }
        return number;
    }

    /** Milliseconds since 1970, or a date such as 2012-07-04. */
    private static long millis(String name, String text) {
        Long day = QueryLiterals.day(text);
        if (day != null) {
            return day * DAY_MILLIS;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw PetrichorException.invalid(
                    "The value \"{value}\" of {field} is not a date.",
                    "value",
                    text,
                    "field",
                    name);
        }
    }

    static DocumentPb.Document.Builder of(SearchDocument document) {
        DocumentPb.Document.Builder built =
                DocumentPb.Document.newBuilder()
                        .setId(document.id())
                        .setLanguage(document.language())
                        .setOrderId(document.rank());
        document.fields().forEach(field -> built.addField(field(field)));
        for (SearchFacet facet : document.facets()) {
            built.addFacet(facet(facet));
        }
        return built;
    }

    private static DocumentPb.Facet facet(SearchFacet facet) {
        DocumentPb.FacetValue.Builder value = DocumentPb.FacetValue.newBuilder();
        switch (facet.value()) {
            case SearchFacet.Label(String text) ->
                    value.setType(DocumentPb.FacetValue.ContentType.ATOM).setStringValue(text);
            case SearchFacet.Amount(double number) ->
                    value.setType(DocumentPb.FacetValue.ContentType.NUMBER)
                            .setStringValue(text(number));
        }
        return DocumentPb.Facet.newBuilder().setName(facet.name()).setValue(value).build();
    }

    static DocumentPb.Field field(SearchField field) {
        DocumentPb.FieldValue.Builder value =
                DocumentPb.FieldValue.newBuilder().setType(type(field.value().type()));
        if (!field.language().isEmpty()) {
            value.setLanguage(field.language());
        }
        switch (field.value()) {
            case FieldValue.Text text -> value.setStringValue(text.text());
            case FieldValue.Numeric(double number) -> value.setStringValue(text(number));
            case FieldValue.Date(long epochMillis) ->
                    value.setStringValue(Long.toString(epochMillis));
            case FieldValue.GeoPoint(double latitude, double longitude) ->
                    value.setGeo(
                            DocumentPb.FieldValue.Geo.newBuilder()
                                    .setLat(latitude)
                                    .setLng(longitude));
            case FieldValue.Vector(List<Double> components) -> value.addAllVectorValue(components);
        }
        return DocumentPb.Field.newBuilder().setName(field.name()).setValue(value).build();
    }

    /** Without a fraction if it has none. */
    static String text(double number) {
        return number == Math.rint(number) && Math.abs(number) < 1e15
                ? Long.toString((long) number)
                : Double.toString(number).toLowerCase(Locale.ROOT);
    }

    static @Nullable Double optionalNumber(String facet, boolean present, String text) {
        return present ? (Double) number(facet, text) : null;
    }

    static DocumentPb.FieldValue.ContentType type(SearchFieldType type) {
        return switch (type) {
            case TEXT -> DocumentPb.FieldValue.ContentType.TEXT;
            case HTML -> DocumentPb.FieldValue.ContentType.HTML;
            case ATOM -> DocumentPb.FieldValue.ContentType.ATOM;
            case DATE -> DocumentPb.FieldValue.ContentType.DATE;
            case NUMBER -> DocumentPb.FieldValue.ContentType.NUMBER;
            case GEO -> DocumentPb.FieldValue.ContentType.GEO;
            case UNTOKENIZED_PREFIX -> DocumentPb.FieldValue.ContentType.UNTOKENIZED_PREFIX;
            case TOKENIZED_PREFIX -> DocumentPb.FieldValue.ContentType.TOKENIZED_PREFIX;
            case VECTOR -> DocumentPb.FieldValue.ContentType.VECTOR;
        };
    }
}
