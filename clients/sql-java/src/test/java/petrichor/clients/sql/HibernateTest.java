package petrichor.clients.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.exception.ConstraintViolationException;
import org.junit.jupiter.api.Test;

class HibernateTest {
    enum Genre {
        NOVEL,
        POEM
    }

    @Entity(name = "Author")
    static class Author {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @Column(unique = true, nullable = false, length = 100)
        String name;

        @OneToMany(mappedBy = "author", cascade = CascadeType.ALL)
        List<Book> books = new ArrayList<>();

        @ElementCollection Set<String> languages;
        @Version int version;
    }

    @Entity(name = "Book")
    static class Book {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        UUID isbn = UUID.randomUUID();
        String title;

        @Column(precision = 8, scale = 2)
        BigDecimal price;

        Instant added = Instant.EPOCH;

        @Enumerated(EnumType.STRING)
        Genre genre = Genre.NOVEL;

        @ManyToOne(optional = false)
        Author author;

        Book() {}

        Book(Author author, String title, String price) {
            this.author = author;
            this.title = title;
            this.price = new BigDecimal(price);
        }
    }

    private final String url = Databases.unused();

    private SessionFactory open(String schema) {
        return new Configuration()
                .addAnnotatedClass(Author.class)
                .addAnnotatedClass(Book.class)
                .setProperty("hibernate.connection.url", url)
                .setProperty("hibernate.connection.username", Databases.USER)
                .setProperty("hibernate.hbm2ddl.auto", schema)
                .buildSessionFactory();
    }

    @Test
    void schemaIsCreatedAndValidated() {
        open("update").close();
        open("validate").close();
    }

    @Test
    void entitiesAreStoredQueriedAndLocked() {
        try (SessionFactory factory = open("update")) {
            Long id =
                    factory.fromTransaction(
                            session -> {
                                Author jane = new Author();
                                jane.name = "Jane";
                                jane.languages = Set.of("en", "fr");
                                jane.books.add(new Book(jane, "Emma", "12.50"));
                                jane.books.add(new Book(jane, "Persuasion", "7.25"));
                                session.persist(jane);
                                return jane.id;
                            });
            factory.inTransaction(
                    session -> {
                        Author jane = session.find(Author.class, id, LockModeType.PESSIMISTIC_WRITE);
                        assertThat(jane.books).hasSize(2);
                        assertThat(jane.languages).containsExactlyInAnyOrder("en", "fr");
                        List<String> titles =
                                session.createSelectionQuery(
                                                "select b.title from Book b join b.author a"
                                                    + " where a.name = :name and b.price > 8"
                                                    + " and b.genre = :genre order by b.title",
                                                String.class)
                                        .setParameter("name", "Jane")
                                        .setParameter("genre", Genre.NOVEL)
                                        .setMaxResults(10)
                                        .getResultList();
                        assertThat(titles).containsExactly("Emma");
                        BigDecimal total =
                                session.createSelectionQuery("select sum(price) from Book", BigDecimal.class)
                                        .getSingleResult();
                        assertThat(total).isEqualByComparingTo("19.75");
                        jane.name = "Jane A.";
                    });
            assertThatThrownBy(
                            () ->
                                    factory.inTransaction(
                                            session -> {
                                                Author same = new Author();
                                                same.name = "Jane A.";
                                                session.persist(same);
                                            }))
                    .isInstanceOf(ConstraintViolationException.class);
            Author old = factory.fromSession(session -> session.find(Author.class, id));
            factory.inTransaction(session -> session.find(Author.class, id).name = "J. Austen");
            old.name = "late";
            old.books = new ArrayList<>();
            assertThatThrownBy(() -> factory.inTransaction(session -> session.merge(old)))
                    .isInstanceOf(OptimisticLockException.class);
            factory.inTransaction(
                    session -> session.createMutationQuery("delete from Book where price < 10").executeUpdate());
            long books =
                    factory.fromSession(
                            session ->
                                    session.createSelectionQuery("select count(*) from Book", Long.class)
                                            .getSingleResult());
            assertThat(books).isEqualTo(1);
        }
    }
}
