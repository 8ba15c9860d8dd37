package petrichor.services.search.model;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Documents as bytes: the value of a row, and of Lucene's stored field. */
public final class DocumentCodec {
    private static final int VERSION = 1;
    private static final int LABEL = 0;
    private static final int AMOUNT = 1;

    private DocumentCodec() {}

    public static byte[] encode(SearchDocument document) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            writeString(out, document.id());
            writeString(out, document.language());
            out.writeInt(document.rank());
            out.writeInt(document.fields().size());
            for (SearchField field : document.fields()) {
                writeString(out, field.name());
                writeString(out, field.language());
                writeValue(out, field.value());
            }
            writeFacets(out, document.facets());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public static SearchDocument decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readByte() != VERSION) {
                throw new IOException("unknown version");
            }
            String id = readString(in);
            String language = readString(in);
            int rank = in.readInt();
            int count = in.readInt();
            List<SearchField> fields = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String name = readString(in);
                String fieldLanguage = readString(in);
                fields.add(new SearchField(name, readValue(in), fieldLanguage));
            }
            return new SearchDocument(id, language, rank, fields, readFacets(in));
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    private static PetrichorException damaged(IOException e) {
        return PetrichorException.of(
                ErrorCode.INTERNAL, e, "A stored document of a search index is damaged.");
    }

    /** The facets by themselves: counting them needs nothing else of a document. */
    public static byte[] encodeFacets(List<SearchFacet> facets) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            writeFacets(out, facets);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public static List<SearchFacet> decodeFacets(byte[] bytes, int from, int length) {
        try (DataInputStream in =
                new DataInputStream(new ByteArrayInputStream(bytes, from, length))) {
            return readFacets(in);
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    private static void writeFacets(DataOutputStream out, List<SearchFacet> facets)
            throws IOException {
        out.writeInt(facets.size());
        for (SearchFacet facet : facets) {
            writeString(out, facet.name());
            switch (facet.value()) {
                case SearchFacet.Label(String text) -> {
                    out.writeByte(LABEL);
                    writeString(out, text);
                }
                case SearchFacet.Amount(double number) -> {
                    out.writeByte(AMOUNT);
                    out.writeDouble(number);
                }
            }
        }
    }

    private static List<SearchFacet> readFacets(DataInputStream in) throws IOException {
        int count = in.readInt();
        List<SearchFacet> facets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = readString(in);
            SearchFacet.Value value =
                    in.readByte() == AMOUNT
                            ? new SearchFacet.Amount(in.readDouble())
                            : new SearchFacet.Label(readString(in));
            facets.add(new SearchFacet(name, value));
        }
        return facets;
    }

    private static void writeValue(DataOutputStream out, FieldValue value) throws IOException {
        out.writeByte(value.type().code());
        switch (value) {
            case FieldValue.Text text -> writeString(out, text.text());
            case FieldValue.Numeric(double number) -> out.writeDouble(number);
            case FieldValue.Date(long epochMillis) -> out.writeLong(epochMillis);
            case FieldValue.GeoPoint(double latitude, double longitude) -> {
                out.writeDouble(latitude);
                out.writeDouble(longitude);
            }
            case FieldValue.Vector(List<Double> components) -> {
                out.writeInt(components.size());
                for (double component : components) {
                    out.writeDouble(component);
                }
            }
        }
    }

    private static FieldValue readValue(DataInputStream in) throws IOException {
        SearchFieldType type = SearchFieldType.ofCode(in.readByte());
        if (type == null) {
            throw new IOException("unknown type of field");
        }
        return switch (type) {
            case TEXT, HTML, ATOM, UNTOKENIZED_PREFIX, TOKENIZED_PREFIX ->
                    new FieldValue.Text(type, readString(in));
            case NUMBER -> new FieldValue.Numeric(in.readDouble());
            case DATE -> new FieldValue.Date(in.readLong());
            case GEO -> new FieldValue.GeoPoint(in.readDouble(), in.readDouble());
            case VECTOR -> {
                int count = in.readInt();
                List<Double> components = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    components.add(in.readDouble());
                }
                yield new FieldValue.Vector(components);
            }
        };
    }

    private static void writeString(DataOutputStream out, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    private static String readString(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("a string is longer than the document");
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
