package tables

import (
	"errors"
	"testing"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

type Author struct {
	ID      uint
	Name    string `gorm:"size:100;uniqueIndex"`
	Born    *time.Time
	Books   []Book
	Created time.Time `gorm:"autoCreateTime"`
}

type Book struct {
	ID       uint
	Title    string `gorm:"not null;index"`
	Year     int    `gorm:"default:1900"`
	AuthorID uint
	Author   Author
}

func TestGorm(t *testing.T) {
	database, err := gorm.Open(postgres.Open(url(t)), &gorm.Config{Logger: logger.Discard, TranslateError: true})
	check(t, err)
	check(t, database.AutoMigrate(&Author{}, &Book{}))
	equal(t, "index", database.Migrator().HasIndex(&Author{}, "Name"), true)
	equal(t, "constraint", database.Migrator().HasConstraint(&Book{}, "Author"), true)
	jane := Author{Name: "Jane", Books: []Book{{Title: "Emma", Year: 1815}, {Title: "Persuasion"}}}
	check(t, database.Create(&jane).Error)
	var read Author
	check(t, database.Preload("Books", func(db *gorm.DB) *gorm.DB { return db.Order("title") }).First(&read, jane.ID).Error)
	equal(t, "books", len(read.Books), 2)
	equal(t, "default", read.Books[1].Year, 1900)

	if err := database.Create(&Author{Name: "Jane"}).Error; !errors.Is(err, gorm.ErrDuplicatedKey) {
		t.Errorf("a second author with the name: got %v", err)
	}
	upsert := clause.OnConflict{Columns: []clause.Column{{Name: "name"}}, DoNothing: true}
	check(t, database.Clauses(upsert).Create(&Author{Name: "Jane"}).Error)

	failed := database.Transaction(func(tx *gorm.DB) error {
		check(t, tx.Model(&Book{}).Where("author_id = ?", jane.ID).Update("year", 0).Error)
		return errors.New("roll back")
	})
	equal(t, "error", failed.Error(), "roll back")
	var titles []string
	joined := database.Model(&Book{}).Joins("Author").Where(`"Author".name = ? AND year > ?`, "Jane", 0)
	check(t, joined.Order("title").Pluck("title", &titles).Error)
	sameList(t, "titles", titles, "Emma", "Persuasion")
}
