package petrichor.clients.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.NamespaceManager;
import com.google.appengine.api.blobstore.BlobKey;
import com.google.appengine.api.datastore.AsyncDatastoreService;
import com.google.appengine.api.datastore.Blob;
import com.google.appengine.api.datastore.Category;
import com.google.appengine.api.datastore.DatastoreService;
import com.google.appengine.api.datastore.DatastoreServiceFactory;
import com.google.appengine.api.datastore.Email;
import com.google.appengine.api.datastore.EmbeddedEntity;
import com.google.appengine.api.datastore.Entities;
import com.google.appengine.api.datastore.Entity;
import com.google.appengine.api.datastore.EntityNotFoundException;
import com.google.appengine.api.datastore.FetchOptions;
import com.google.appengine.api.datastore.GeoPt;
import com.google.appengine.api.datastore.IMHandle;
import com.google.appengine.api.datastore.Key;
import com.google.appengine.api.datastore.KeyFactory;
import com.google.appengine.api.datastore.KeyRange;
import com.google.appengine.api.datastore.Link;
import com.google.appengine.api.datastore.PhoneNumber;
import com.google.appengine.api.datastore.PostalAddress;
import com.google.appengine.api.datastore.Query;
import com.google.appengine.api.datastore.Rating;
import com.google.appengine.api.datastore.ShortBlob;
import com.google.appengine.api.datastore.Text;
import com.google.appengine.api.users.User;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Entities of {@code com.google.appengine.api.datastore}: writes, reads, values, keys. */
class EntitiesTest {
    private static final int MANY = 1100;

    private final App app = App.unique();
    private final DatastoreService store = DatastoreServiceFactory.getDatastoreService();

    private static Entity note(Object value) {
        Entity entity = new Entity("Note", "n");
        entity.setProperty("value", value);
        return entity;
    }

    private static Query notes(String property, Object value) {
        return new Query("Note").setFilter(new Query.FilterPredicate(property, Query.FilterOperator.EQUAL, value));
    }

    /** One value of each type whose values can be found with a filter. */
    private static Map<String, Object> indexedValues() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("text", "Ämma");
        values.put("long", -1L << 40);
        values.put("double", 0.25);
        values.put("true", true);
        values.put("date", new Date(1_767_323_045_006L));
        values.put("user", new User("ann@example.com", "example.com", "1234"));
        values.put("key", KeyFactory.createKey(KeyFactory.createKey("Author", "jane"), "Book", 7));
        values.put("blobKey", new BlobKey("blob"));
        values.put("geo", new GeoPt(52.5f, -13.25f));
        values.put("bytes", new ShortBlob(new byte[] {-1, 1}));
        values.put("category", new Category("novel"));
        values.put("email", new Email("ann@example.com"));
        values.put("link", new Link("http://example.com/"));
        values.put("phone", new PhoneNumber("555"));
        values.put("address", new PostalAddress("High Street"));
        values.put("rating", new Rating(55));
        values.put("handle", new IMHandle(IMHandle.Scheme.xmpp, "ann@example.com"));
        values.put("null", null);
        values.put("list", new ArrayList<>(Arrays.asList("b", "a", null, "b")));
        return values;
    }

    @Test
    void everyIndexedValueIsReadAndFound() throws Exception {
        app.run(() -> {
            Map<String, Object> values = indexedValues();
            Entity stored = new Entity("Note", "n");
            values.forEach(stored::setIndexedProperty);
            store.put(List.of(stored, new Entity("Note", "another")));
            assertThat(store.get(stored.getKey()).getProperties()).isEqualTo(values);
            values.forEach((name, value) -> {
                Object wanted = value instanceof List<?> list ? list.get(0) : value;
                assertThat(store.prepare(notes(name, wanted)).asSingleEntity()).as(name).isEqualTo(stored);
            });
        });
    }

    @Test
    void valuesWithoutAnIndexAreReadButNotFound() throws Exception {
        app.run(() -> {
            Entity stored = new Entity("Note", "n");
            stored.setProperty("longText", new Text("x".repeat(5000)));
            stored.setProperty("blob", new Blob(new byte[100_000]));
            stored.setUnindexedProperty("hidden", "value");
            store.put(stored);
            Entity read = store.get(stored.getKey());
            assertThat(read.getProperties()).isEqualTo(stored.getProperties());
            assertThat(read.isUnindexedProperty("hidden")).isTrue();
            assertThat(store.prepare(notes("hidden", "value")).asSingleEntity()).isNull();
        });
    }

    @Test
    void embeddedEntities() throws Exception {
        app.run(() -> {
            EmbeddedEntity inner = new EmbeddedEntity();
            inner.setKey(KeyFactory.createKey("Address", "home"));
            inner.setProperty("street", "High");
            inner.setProperty("numbers", new ArrayList<>(List.of(1L, 2L)));
            EmbeddedEntity outer = new EmbeddedEntity();
            outer.setIndexedProperty("inner", inner);
            Entity stored = new Entity("Note", "n");
            stored.setIndexedProperty("outer", outer);
            store.put(stored);
            assertThat(store.get(stored.getKey()).getProperty("outer")).isEqualTo(outer);
            assertThat(store.prepare(notes("outer.inner.street", "High")).asSingleEntity()).isEqualTo(stored);
        });
    }

    @Test
    void missingEntities() throws Exception {
        app.run(() -> {
            Key missing = KeyFactory.createKey("Note", "missing");
            assertThatThrownBy(() -> store.get(missing)).isInstanceOf(EntityNotFoundException.class);
            Key present = store.put(note(1L));
            assertThat(store.get(List.of(missing, present))).containsOnlyKeys(present);
            store.delete(present, missing);
            assertThat(store.get(List.of(missing, present))).isEmpty();
        });
    }

    @Test
    void manyEntities() throws Exception {
        app.run(() -> {
            List<Entity> entities = new ArrayList<>();
            for (int i = 1; i <= MANY; i++) {
                Entity entity = new Entity("Counter", i);
                entity.setProperty("n", i);
                entities.add(entity);
            }
            List<Key> keys = store.put(entities);
            assertThat(store.get(keys)).hasSize(MANY);
            Query all = new Query("Counter");
            assertThat(store.prepare(all).countEntities(FetchOptions.Builder.withLimit(2 * MANY))).isEqualTo(MANY);
            assertThat(store.prepare(all).asIterable()).hasSize(MANY);
            store.delete(keys);
            assertThat(store.prepare(all).asIterable()).isEmpty();
        });
    }

    @Test
    void incompleteKeysAndAllocatedIds() throws Exception {
        app.run(() -> {
            Key parent = KeyFactory.createKey("Parent", "p");
            List<Key> keys = store.put(List.of(new Entity("Child", parent), new Entity("Child", parent)));
            assertThat(keys).allMatch(Key::isComplete).doesNotHaveDuplicates();
            assertThat(keys).allMatch(key -> key.getParent().equals(parent));
            KeyRange range = store.allocateIds(parent, "Child", 10);
            assertThat(range.getSize()).isEqualTo(10);
            assertThat(range).doesNotContainAnyElementsOf(keys);
            KeyRange next = store.allocateIds(parent, "Child", 1);
            assertThat(range).doesNotContain(next.getStart());
            assertThat(store.allocateIdRange(range)).isEqualTo(DatastoreService.KeyRangeState.CONTENTION);
            store.put(new Entity(range.getStart()));
            assertThat(store.allocateIdRange(range)).isEqualTo(DatastoreService.KeyRangeState.COLLISION);
        });
    }

    @Test
    void keysAsText() throws Exception {
        app.run(() -> {
            Key key = store.put(new Entity("Child", "c", KeyFactory.createKey("Parent", 3)));
            String text = KeyFactory.keyToString(key);
            assertThat(store.get(KeyFactory.stringToKey(text)).getKey()).isEqualTo(key);
        });
    }

    @Test
    void asynchronousCalls() throws Exception {
        AsyncDatastoreService async = DatastoreServiceFactory.getAsyncDatastoreService();
        app.run(() -> {
            List<Future<Key>> writes = new ArrayList<>();
            for (int i = 1; i <= 20; i++) {
                writes.add(async.put(new Entity("Counter", i)));
            }
            for (Future<Key> write : writes) {
                assertThat(async.get(write.get()).get().getKey()).isEqualTo(write.get());
            }
            async.delete(writes.get(0).get()).get();
            assertThat(async.prepare(new Query("Counter")).asIterable()).hasSize(19);
        });
    }

    @Test
    void namespaces() throws Exception {
        app.run(() -> {
            NamespaceManager.set("other");
            Key other = store.put(note("of other"));
            assertThat(other.getNamespace()).isEqualTo("other");
            NamespaceManager.set("");
            assertThat(store.prepare(new Query("Note")).asIterable()).isEmpty();
            store.put(note("of none"));
            assertThat(store.get(other).getProperty("value")).isEqualTo("of other");
            assertThat(store.prepare(new Query(Entities.NAMESPACE_METADATA_KIND).setKeysOnly()).asIterable())
                    .extracting(Entity::getKey)
                    .containsExactly(Entities.createNamespaceKey(""), Entities.createNamespaceKey("other"));
        });
    }

    @Test
    void kindsAndPropertiesAsMetadata() throws Exception {
        app.run(() -> {
            store.put(note("text"));
            store.put(new Entity("Other", 1));
            assertThat(store.prepare(new Query(Entities.KIND_METADATA_KIND)).asIterable())
                    .extracting(kind -> kind.getKey().getName())
                    .containsExactly("Note", "Other");
            Query properties =
                    new Query(Entities.PROPERTY_METADATA_KIND).setAncestor(Entities.createKindKey("Note"));
            Entity property = store.prepare(properties).asSingleEntity();
            assertThat(property.getKey().getName()).isEqualTo("value");
            assertThat(property.getProperty("property_representation")).isEqualTo(List.of("STRING"));
        });
    }

    @Test
    void keysOfOtherAppsAreRefused() throws Exception {
        Key[] foreign = new Key[1];
        App.unique().run(() -> foreign[0] = store.put(note("secret")));
        app.run(() -> assertThatThrownBy(() -> store.get(foreign[0])).isInstanceOf(IllegalArgumentException.class));
    }

    @Test
    void whatIsRefused() throws Exception {
        app.run(() -> {
            Entity large = new Entity("Note", "n");
            large.setProperty("blob", new Blob("x".repeat(2 << 20).getBytes(StandardCharsets.UTF_8)));
            assertThatThrownBy(() -> store.put(large)).isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> store.put(note("x".repeat(1501)))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store.put(new Entity("__Reserved__", "n")))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(store.prepare(new Query()).asIterable()).isEmpty();
        });
    }
}
