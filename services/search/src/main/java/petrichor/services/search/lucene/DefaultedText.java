package petrichor.services.search.lucene;

import java.io.IOException;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.search.FieldComparator;
import org.apache.lucene.search.FieldComparatorSource;
import org.apache.lucene.search.Pruning;
import org.apache.lucene.util.BytesRef;

/** Orders documents by a text, and by a default where they have none. Immutable. */
final class DefaultedText extends FieldComparatorSource {
    private final BytesRef missing;

    DefaultedText(String missing) {
        this.missing = new BytesRef(DocumentMapping.cut(missing));
    }

    @Override
    public FieldComparator<?> newComparator(
            String field, int hits, Pruning pruning, boolean reversed) {
        return new FieldComparator.TermValComparator(hits, field, false) {
            @Override
            protected BinaryDocValues getBinaryDocValues(LeafReaderContext context, String name)
                    throws IOException {
                return new Defaulted(DocValues.getSorted(context.reader(), name), missing);
            }
        };
    }

    private static final class Defaulted extends BinaryDocValues {
        private final SortedDocValues values;
        private final BytesRef missing;
        private boolean present;

        Defaulted(SortedDocValues values, BytesRef missing) {
            this.values = values;
            this.missing = missing;
        }

        @Override
        public BytesRef binaryValue() throws IOException {
            return present ? values.lookupOrd(values.ordValue()) : missing;
        }

        @Override
        public boolean advanceExact(int document) throws IOException {
            present = values.advanceExact(document);
            return true;
        }

        @Override
        public int docID() {
            return values.docID();
        }

        @Override
        public int nextDoc() throws IOException {
            return values.nextDoc();
        }

        @Override
        public int advance(int target) throws IOException {
            return values.advance(target);
        }

        @Override
        public long cost() {
            return values.cost();
        }
    }
}
