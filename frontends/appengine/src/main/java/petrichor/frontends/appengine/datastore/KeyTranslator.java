package petrichor.frontends.appengine.datastore;

import com.google.datastore.v1.Key;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Path;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue.ReferenceValue;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Reference;
import petrichor.frontends.appengine.CallingApp;

/** Translates keys between the two APIs for one app. Immutable. */
record KeyTranslator(AppId app) {
    /**
     * For the key of an entity that the app reads or writes; BAD_REQUEST if it is another app's.
     */
    static KeyTranslator of(CallingApp app, Reference key) {
        return new KeyTranslator(AppId.of(app, key.getApp()));
    }

    /** A key of the calling app; its last element may lack an id and a name. */
    Key own(Reference key) {
        V3Error.check(
                app.projectOf(key.getApp()).equals(app.project()),
                "app \"" + app.text() + "\" cannot access app \"" + key.getApp() + "\"'s data");
        V3Error.check(key.getPath().getElementCount() > 0, "key's path cannot be empty");
        for (Path.Element element : key.getPath().getElementList()) {
            V3Error.check(
                    element.getTypeBytes().isValidUtf8(),
                    "key path element type is not valid UTF-8.");
            V3Error.check(
                    element.getNameBytes().isValidUtf8(),
                    "key path element name is not valid UTF-8.");
            V3Error.check(
                    element.getId() == 0 || element.getName().isEmpty(),
                    "each key path element should have id or name but not both");
        }
        return toV1(key);
    }

    /** A key of the calling app with an id or a name. */
    Key ownComplete(Reference key) {
        Key own = own(key);
        V3Error.check(complete(own), "missing key id/name");
        return own;
    }

    static boolean complete(Key key) {
        return key.getPath(key.getPathCount() - 1).getIdTypeCase()
                != Key.PathElement.IdTypeCase.IDTYPE_NOT_SET;
    }

    Key toV1(Reference reference) {
        Key.Builder key = Key.newBuilder();
        partition(key, reference.getApp(), reference.getDatabaseId(), reference.getNameSpace());
        for (Path.Element element : reference.getPath().getElementList()) {
            add(key, element.getType(), element.getId(), element.getName());
        }
        return key.build();
    }

    Key toV1(ReferenceValue reference) {
        Key.Builder key = Key.newBuilder();
        partition(key, reference.getApp(), reference.getDatabaseId(), reference.getNameSpace());
        for (ReferenceValue.PathElement element : reference.getPathElementList()) {
            add(key, element.getType(), element.getId(), element.getName());
        }
        return key.build();
    }

    private void partition(Key.Builder key, String appId, String database, String namespace) {
        requireDefaultDatabase(database);
        key.getPartitionIdBuilder().setProjectId(app.projectOf(appId)).setNamespaceId(namespace);
    }

    static void requireDefaultDatabase(String database) {
        V3Error.check(
                database.isEmpty(),
                "this API serves the default database only; use the Datastore API for database \""
                        + database
                        + "\"");
    }

    /** In this API the id 0 and the empty name are the same as none. */
    private static void add(Key.Builder key, String kind, long id, String name) {
        Key.PathElement.Builder element = key.addPathBuilder().setKind(kind);
        if (id != 0) {
            element.setId(id);
        } else if (!name.isEmpty()) {
            element.setName(name);
        }
    }

    Reference toV3(Key key) {
        Reference.Builder reference =
                Reference.newBuilder().setApp(app.idOf(key.getPartitionId().getProjectId()));
        if (!key.getPartitionId().getNamespaceId().isEmpty()) {
            reference.setNameSpace(key.getPartitionId().getNamespaceId());
        }
        Path.Builder path = Path.newBuilder();
        key.getPathList().forEach(element -> path.addElement(toV3(element)));
        return reference.setPath(path).build();
    }

    private static Path.Element toV3(Key.PathElement given) {
        Path.Element.Builder element = Path.Element.newBuilder().setType(given.getKind());
        switch (given.getIdTypeCase()) {
            case ID -> element.setId(given.getId());
            case NAME -> element.setName(given.getName());
            case IDTYPE_NOT_SET -> {}
        }
        return element.build();
    }

    ReferenceValue toV3Value(Key key) {
        ReferenceValue.Builder reference =
                ReferenceValue.newBuilder().setApp(app.idOf(key.getPartitionId().getProjectId()));
        if (!key.getPartitionId().getNamespaceId().isEmpty()) {
            reference.setNameSpace(key.getPartitionId().getNamespaceId());
        }
        for (Key.PathElement given : key.getPathList()) {
            ReferenceValue.PathElement.Builder element =
                    reference.addPathElementBuilder().setType(given.getKind());
            switch (given.getIdTypeCase()) {
                case ID -> element.setId(given.getId());
                case NAME -> element.setName(given.getName());
                case IDTYPE_NOT_SET -> {}
            }
        }
        return reference.build();
    }

    /** The entity group of an entity: the path of its root. */
    static Path group(Key key) {
        return key.getPathCount() == 0
                ? Path.getDefaultInstance()
                : Path.newBuilder().addElement(toV3(key.getPath(0))).build();
    }
}
